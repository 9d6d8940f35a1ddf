/* A dtc_error in JSON. */
#ifndef JSON_ERROR_H
#define JSON_ERROR_H

#include "cli.h"
#include "json_out.h"

/* `err` is NULL where the library has seen none: then everything but the text is null. */
void json_error(json *j, const char *key, const dtc_error *err, const char *text);

/* Its members alone, into an object that is open. */
void json_error_members(json *j, const dtc_error *err, const char *text);

/* The same in the library's words. */
void json_finding(json *j, const cli *c, const char *key, const dtc_error *err);

#endif
