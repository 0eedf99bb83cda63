#include "project/view.h"

#define OPERATION true /* a call may end with it, not only a path or method */

static const struct tr_project_refusal refusals[] = {
    {400, "BadRequest", "The request is not one that can be understood.", NULL,
     OPERATION, false},
    {401, "Unauthorized", "There is no credential, or none that is valid.",
     "WWW-Authenticate", OPERATION, false},
    {403, "Forbidden", "A scope or a policy does not allow it.",
     "WWW-Authenticate", OPERATION, false},
    {404, "NotFound", "There is nothing of that name for this caller.", NULL,
     OPERATION, false},
    {405, "MethodNotAllowed", "The path has no such method.", "Allow", false,
     false},
    {406, "NotAcceptable", "It cannot be had in a type that is accepted.", NULL,
     OPERATION, false},
    {409, "Conflict",
     "It contradicts the state, or an earlier call with the same key; or the "
     "handler asks its client, which cannot be done over HTTP.",
     NULL, OPERATION, false},
    {410, "Gone", "The capability was withdrawn.", NULL, OPERATION, false},
    {412, "PreconditionFailed", "The tag is not the one that is wanted.", NULL,
     false, false},
    {413, "ContentTooLarge", "The body has more bytes than are taken here.",
     NULL, false, true},
    {415, "UnsupportedMediaType", "The body is not application/json.", NULL,
     OPERATION, false},
    {422, "Invalid",
     "Fields are wrong, and `fields` says which, and why; or the capability "
     "has returned an error.",
     NULL, OPERATION, false},
    {429, "TooManyRequests", "A budget is used up.", "Retry-After", OPERATION,
     false},
    {500, "Failed", "The handler failed.", NULL, OPERATION, false},
    {503, "Unavailable",
     "It took too long, came to a limit, or cannot be done now.", "Retry-After",
     OPERATION, false},
    {507, "NoMemory", "The server has not enough memory.", NULL, OPERATION,
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
