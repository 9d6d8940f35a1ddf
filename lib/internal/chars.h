/* Kinds of characters, of ASCII whatever the locale. */
#ifndef DTCI_CHARS_H
#define DTCI_CHARS_H

static inline int dtci_is_digit(int c)
{
  return c >= '0' && c <= '9';
}

static inline int dtci_is_letter(int c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What names in programs are made of. */
static inline int dtci_is_name(int c)
{
  return dtci_is_letter(c) || dtci_is_digit(c) || c == '_';
}

/* Between words of a line. */
static inline int dtci_is_blank(int c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/* What isspace() of C takes for a blank. */
static inline int dtci_is_space(int c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* What \s and str.strip() of Python do. */
static inline int dtci_is_python_space(int c)
{
  return dtci_is_space(c) || (c >= 0x1c && c <= 0x1f);
}

/* Of a hexadecimal digit; -1: it is none. */
static inline int dtci_hex_value(int c)
{
  return dtci_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif
