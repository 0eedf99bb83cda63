/*
 * prov/agent.h - the IRI of an agent: a principal in PROV-O; for this folder
 * only.
 */
#ifndef TR_PROV_AGENT_H
#define TR_PROV_AGENT_H

#include "base/buf.h"
#include "base/limits.h"

/* The longest: every byte of the name is encoded. */
#define TR_PROV_AGENT_BYTES (64 + 3 * TR_LIMIT_PROV_NAME)

/* The IRI of a principal; it may be made in `text`. */
tr_str tr_prov_agent_iri(tr_str principal, char text[TR_PROV_AGENT_BYTES]);

#endif
