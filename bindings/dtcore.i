/* The C library for SWIG. Structs never become SWIG objects: typemaps turn a language's own values into the C structs
 * and back, so a wrapped function takes what its language thinks natural. The language's part stands in
 * python/python.i and lua/lua.i; fields.h and types.i are written by scripts/gen from the public headers. */
%module core

/* Only functions are wrapped; the package has its own classes and constants. */
%rename($ignore, %$isclass) "";
%rename($ignore, %$isenum) "";
%rename($ignore, %$isenumitem) "";
%rename($ignore, %$isconstant) "";
%rename($ignore, %$isvariable) "";
%rename("%(strip:[dtc_])s", %$isfunction) "";
%ignore dtc_error_format; /* by hand: its error is not one of this call */

#ifdef SWIGPYTHON
%include "python/python.i"
#endif
#ifdef SWIGLUA
%include "lua/lua.i"
#endif
%include "types.i"

/* SWIG does not follow #include. */
%include <dtcore/base.h>
%include <dtcore/model.h>
%include <dtcore/cluster.h>
%include <dtcore/plan.h>
%include <dtcore/rank.h>
%include <dtcore/nccl.h>
%include <dtcore/shard.h>
%include <dtcore/pipeline.h>
%include <dtcore/collective.h>
%include <dtcore/tasks.h>
%include <dtcore/ledger.h>
%include <dtcore/memory.h>
%include <dtcore/step.h>
%include <dtcore/search.h>
%include <dtcore/framework.h>
%include <dtcore/advise.h>
%include <dtcore/launch.h>
%include <dtcore/explain.h>
