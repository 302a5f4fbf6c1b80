// SPDX-License-Identifier: Apache-2.0
#pragma once

/*
 * The steps that plugins put their tables together from, each on a struct attachment. What a step
 * does its partner undoes, also when there is only half of it or none.
 */

#include "shared/base/steps.h"

step_fn attach_remember, attach_forget;      /* the record */
step_fn attach_ask_ipam, attach_return_ipam; /* addresses from the IPAM plugin */
step_fn attach_hold, attach_release;         /* the domains, which stay locked */
step_fn attach_plug, attach_unplug;          /* the port, and with it the pod's interface */
step_fn attach_unplug_any;                   /* nobody remembers of what kind it was */
step_fn attach_replug;                       /* the port that is lost or is in no bridge */
step_fn attach_unlock;                       /* the domains */
step_fn attach_publish;                      /* what was made of the domains, to others */
step_fn attach_configure;                    /* the pod's end */
step_fn attach_reconfigure;                  /* the same, of a port that was lost */
step_fn attach_announce;                     /* its addresses, to the neighbourhood */
step_fn attach_reannounce;                   /* the same, where the pod is in sight */
step_fn attach_confirm;                      /* that the HBR netns is still the same one */
