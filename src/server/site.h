/*
 * server/site.h - what a server says of itself in its views (project/view.h),
 * from the settings of an app.
 */
#ifndef TR_SERVER_SITE_H
#define TR_SERVER_SITE_H

#include "project/view.h"
#include "server/app.h"

/*
 * Its texts are the app's. Whether a credential is needed is what the settings
 * and the environment say of a server that listens at [server] http.
 */
struct tr_project_site tr_server_site(const struct tr_server_app *app);

#endif
