#include "project/view.h"

#define OPERATION true /* a call may end with it, not only a path or method */

static const struct tr_project_refusal refusals[] = {
    {"BadRequest", "The request is not one that can be understood.", NULL, 400,
     OPERATION, false},
    {"Unauthorized", "There is no credential, or none that is valid.",
     "WWW-Authenticate", 401, OPERATION, false},
    {"Forbidden", "A scope or a policy does not allow it.", "WWW-Authenticate",
     403, OPERATION, false},
    {"NotFound", "There is nothing of that name for this caller.", NULL, 404,
     OPERATION, false},
    {"MethodNotAllowed", "The path has no such method.", "Allow", 405, false,
     false},
    {"NotAcceptable", "It cannot be had in a type that is accepted.", NULL, 406,
     OPERATION, false},
    {"Conflict",
     "It contradicts the state, or an earlier call with the same key; or the "
     "handler asks its client, which cannot be done over HTTP.",
     NULL, 409, OPERATION, false},
    {"Gone", "The capability was withdrawn.", NULL, 410, OPERATION, false},
    {"PreconditionFailed", "The tag is not the one that is wanted.", NULL, 412,
     false, false},
    {"ContentTooLarge", "The body has more bytes than are taken here.", NULL,
     413, false, true},
    {"UnsupportedMediaType", "The body is not application/json.", NULL, 415,
     OPERATION, false},
    {"Invalid",
     "Fields are wrong, and `fields` says which, and why; or the capability "
     "has returned an error.",
     NULL, 422, OPERATION, false},
    {"TooManyRequests", "A budget is used up.", "Retry-After", 429, OPERATION,
     false},
    {"Failed", "The handler failed.", NULL, 500, OPERATION, false},
    {"Unavailable", "It took too long, came to a limit, or cannot be done now.",
     "Retry-After", 503, OPERATION, false},
    {"NoMemory", "The server has not enough memory.", NULL, 507, OPERATION,
     false},
};

const struct tr_project_refusal *tr_project_refusal_at(size_t i)
{
    return i < TR_LEN(refusals) ? &refusals[i] : NULL;
}

bool tr_project_refusal_is_known(int status)
{
    for (size_t i = 0; i < TR_LEN(refusals); i++) {
        if (refusals[i].status == status)
            return true;
    }
    return false;
}
