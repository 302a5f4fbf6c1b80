// SPDX-License-Identifier: Apache-2.0
#include "shared/node/frr.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/base/cleanup.h"
#include "shared/base/patience.h"
#include "shared/node/frr_config.h"
#include "shared/node/frr_text.h"
#include "shared/node/frr_vtysh.h"
#include "shared/node/store_lock.h"

#define LOCK_MS  20000
#define AWAIT_MS 5000 /* for FRR to do, or to see, what it was told or what the kernel did */
#define PAUSE_US 50000

static char show_mapping[] = "show vrf vni json";

struct call {
	const struct node_frr *frr;
	const struct frr_vrf *vrf;
	struct lock lock;
};

static void call_end(struct call *call)
{
	lock_release(&call->lock);
}

#define auto_call CLEANUP(call_end)

/* A VRF of this node alone needs no FRR unless it imports: FRR finds it by itself. */
static bool needs_frr(const struct frr_vrf *vrf)
{
	return vrf->vni != 0 || json_array_size(vrf->import_vrfs) > 0;
}

static int begin(struct call *call, const struct store *store, struct error *err)
{
	return store_lock(store, "frr", LOCK_MS, &call->lock, err) < 0 ? -1 : 0;
}

/* Say one text (NULL: none), all lines of which must be taken. The answer to the command after it,
 * as a new reference; NULL when it is no JSON. */
static int say(const struct call *call, const char *text, char *also, json_t **answer,
	       struct error *err)
{
	auto_frr_run struct frr_run run = { 0 };

	if (frr_run_prepare(&run, text ? text : "", text != NULL, also, err) < 0 ||
	    frr_run(call->frr, &run, err) < 0 || frr_run_check(&run, err) < 0)
		return -1;
	if (also)
		*answer = json_loads(run.answers[run.n - 1], JSON_DISABLE_EOF_CHECK, NULL);

	return 0;
}

/* Ask for the running configuration: 1 and it is the first answer, 0 FRR does not run. */
static int ask_running(const struct call *call, struct frr_run *run, struct error *err)
{
	if (frr_run_prepare(run, "show running-config", false, NULL, err) < 0 ||
	    frr_run(call->frr, run, err) < 0)
		return -1;
	if (frr_run_is_down(run))
		return 0;

	return frr_run_check(run, err) < 0 ? -1 : 1;
}

/* Does zebra have the VNI for the VRF? That, and nothing later, keeps the VNI from being announced
 * as that of an L2 domain. */
static bool is_mapped(const json_t *mapping, const struct frr_vrf *vrf)
{
	const json_t *item;
	size_t i;

	if (vrf->vni == 0)
		return true;
	json_array_foreach(json_object_get(mapping, "vrfs"), i, item) {
		const char *name = json_string_value(json_object_get(item, "vrf"));

		if (name && strcmp(name, vrf->name) == 0 &&
		    json_integer_value(json_object_get(item, "vni")) == vrf->vni)
			return true;
	}

	return false;
}

struct state {
	struct frr_config config;
	char router_id[IP_TEXT_SIZE]; /* of the default instance, "": none */
	bool is_mapped;               /* zebra has the VNI for the VRF, or there is none */
};

/* Both daemons are asked something, so that the one which does not run is named. */
static int look(const struct call *call, struct state *state, struct error *err)
{
	static const char questions[] =
		"show vrf vni json\nshow bgp vrfs json\nshow running-config\n";
	auto_frr_run struct frr_run run = { 0 };
	auto_json json_t *instances = NULL, *mapping = NULL;
	const char *id = NULL;

	if (frr_run_prepare(&run, questions, false, NULL, err) < 0 ||
	    frr_run(call->frr, &run, err) < 0)
		return -1;
	if (frr_run_is_down(&run))
		return error_set(
			err, ERROR_FRR,
			"FRR is not running, or its sockets are not in %s (frr.vtySocketDir "
			"of the node's file)",
			call->frr->socket_dir);
	if (frr_run_check(&run, err) < 0)
		return -1;

	mapping = json_loads(run.answers[0], JSON_DISABLE_EOF_CHECK, NULL);
	state->is_mapped = is_mapped(mapping, call->vrf);
	frr_config_read(run.answers[2], call->vrf->name, &state->config);
	instances = json_loads(run.answers[1], JSON_DISABLE_EOF_CHECK, NULL);
	id = json_string_value(json_object_get(
		json_object_get(json_object_get(instances, "vrfs"), "default"), "routerId"));
	snprintf(state->router_id, sizeof(state->router_id), "%s",
		 id && strcmp(id, "0.0.0.0") != 0 ? id : "");

	return 0;
}

/* What no VRF can be made without. */
static int check_default(const struct call *call, const struct frr_config *config,
			 struct error *err)
{
	if (!config->as[0])
		return error_set(err, ERROR_FRR,
				 "FRR has no BGP instance: wanted \"router bgp AS\" in its "
				 "configuration");
	if (call->vrf->vni && !config->has_evpn)
		return error_set(err, ERROR_FRR,
				 "FRR has no EVPN instance: wanted \"advertise-all-vni\" in "
				 "\"address-family l2vpn evpn\" of \"router bgp %s\"",
				 config->as);

	return 0;
}

/*
 * 1 when the site itself has told FRR all of the VRF: that stays as it is. Half of it is an error:
 * our part of a stanza could not be taken back without the site's.
 */
static int is_declared(const struct call *call, const struct frr_config *config, struct error *err)
{
	const struct frr_vrf *vrf = call->vrf;
	bool has_instance = frr_config_has_instance(config);
	char vni[16] = "";

	if (frr_config_is_ours(config) || (!has_instance && !config->vni[0]))
		return 0;
	if (vrf->vni)
		snprintf(vni, sizeof(vni), "%u", vrf->vni);
	if (has_instance && strcmp(config->vni, vni) == 0)
		return 1;

	return error_set(
		err, ERROR_CONFLICT,
		"FRR's configuration has %s%s for VRF %s that is not ours: wanted none, or "
		"both \"router bgp %s vrf %s\" and VNI %s",
		has_instance ? "a BGP instance" : "",
		config->vni[0] ? has_instance ? " and another VNI" : "a VNI" : "", vrf->name,
		config->as, vrf->name, vrf->vni ? vni : "none");
}

/* All that FRR is to be told: our filter, the rest from the template. */
static int compose(const struct call *call, const struct state *state, char **text,
		   struct error *err)
{
	auto_free char *template = NULL, *filter = NULL, *rest = NULL;
	char own_id[IP_TEXT_SIZE];
	struct frr_values values = { call->vrf, state->config.as, state->router_id };

	if (call->vrf->router_id.family == AF_INET) {
		ip_print(&call->vrf->router_id, own_id);
		values.router_id = own_id;
	}
	if (frr_template_read(call->frr->template, &template, err) < 0 ||
	    frr_expand(frr_filter, &values, &filter, err) < 0)
		return -1;
	if (frr_expand(template, &values, &rest, err) < 0)
		return error_wrap(err, "frr.template: %s", call->frr->template);
	if (asprintf(text, "%s%s", filter, rest) < 0)
		return error_errno(err, ERROR_INTERNAL, errno, "text for FRR");

	return 0;
}

static int tell(const struct call *call, const char *text, struct error *err)
{
	struct patience patience = patience_begin(AWAIT_MS, PAUSE_US, PAUSE_US);

	for (bool is_told = false;; is_told = true) {
		auto_json json_t *mapping = NULL;

		if (say(call, is_told ? NULL : text, show_mapping, &mapping, err) < 0)
			return -1;
		if (is_mapped(mapping, call->vrf))
			return 0;
		if (!patience_pause(&patience))
			return error_set(
				err, ERROR_FRR,
				"FRR was told of VNI %u, and \"show vrf vni\" does not have "
				"it after %d s",
				call->vrf->vni, AWAIT_MS / 1000);
	}
}

static int provision(const struct call *call, bool *touched, struct error *err)
{
	auto_free char *text = NULL;
	struct state state = { 0 };
	int r;

	if (look(call, &state, err) < 0)
		return -1;
	*touched = frr_config_is_ours(&state.config);
	if (check_default(call, &state.config, err) < 0)
		return -1;
	r = is_declared(call, &state.config, err);
	if (r != 0)
		return r < 0 ? -1 : 0;
	if (compose(call, &state, &text, err) < 0)
		return -1;
	*touched = true;

	return tell(call, text, err);
}

int frr_provision(const struct node *node, const struct store *store, const struct frr_vrf *vrf,
		  bool *touched, struct error *err)
{
	auto_call struct call call = { &node->frr, vrf, LOCK_NONE };

	if (!needs_frr(vrf))
		return 0;
	if (begin(&call, store, err) < 0)
		return -1;
	if (provision(&call, touched, err) < 0)
		return error_wrap(err, "VRF %s in FRR", vrf->name);

	return 0;
}

int frr_has(const struct node *node, const struct frr_vrf *vrf, struct error *err)
{
	struct call call = { &node->frr, vrf, LOCK_NONE };
	struct state state = { 0 };

	if (!needs_frr(vrf))
		return 1;
	if (look(&call, &state, err) < 0)
		return error_wrap(err, "VRF %s in FRR", vrf->name);

	return state.is_mapped && frr_config_has_instance(&state.config);
}

/* What is still to be said so that nothing of it remains; 0: nothing. */
static int find_remains(const struct call *call, bool is_last, char **text, struct error *err)
{
	auto_frr_run struct frr_run run = { 0 };
	struct frr_config config;
	int r = ask_running(call, &run, err);

	if (r == 0)
		error_warn("VRF %s: FRR is not running: what it was told of it is gone",
			   call->vrf->name);
	if (r <= 0)
		return r;
	frr_config_read(run.answers[0], call->vrf->name, &config);
	if (!frr_config_is_ours(&config))
		return 0;
	errno = 0;
	*text = is_last ? frr_config_forget(call->vrf->name, &config)
			: frr_config_withdraw(run.answers[0], call->vrf->name, &config);
	if (!*text && errno == ENOMEM)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "text for FRR");

	return *text ? 1 : 0;
}

/* Its daemons see what happened to each other and to links a moment later: until then one refuses.
 */
static int take_back(const struct call *call, bool is_last, struct error *err)
{
	struct patience patience = patience_begin(AWAIT_MS, PAUSE_US, PAUSE_US);

	for (;;) {
		auto_free char *text = NULL;
		int r = find_remains(call, is_last, &text, err);

		if (r <= 0)
			return r;
		if (say(call, text, NULL, NULL, err) == 0)
			return 0;
		if (err->code != ERROR_FRR || !patience_pause(&patience))
			return -1;
	}
}

static int undo(const struct node *node, const struct store *store, const struct frr_vrf *vrf,
		bool is_last, struct error *err)
{
	auto_call struct call call = { &node->frr, vrf, LOCK_NONE };

	if (!needs_frr(vrf))
		return 0;
	if (begin(&call, store, err) < 0)
		return -1;
	if (take_back(&call, is_last, err) < 0)
		return error_wrap(err, "VRF %s in FRR", vrf->name);

	return 0;
}

int frr_withdraw(const struct node *node, const struct store *store, const struct frr_vrf *vrf,
		 struct error *err)
{
	return undo(node, store, vrf, false, err);
}

int frr_forget(const struct node *node, const struct store *store, const struct frr_vrf *vrf,
	       struct error *err)
{
	return undo(node, store, vrf, true, err);
}

int frr_knows_address(const struct node *node, const char *link, const struct ip *address,
		      struct error *err)
{
	auto_frr_run struct frr_run run = { 0 };
	char question[64], wanted[IP_TEXT_SIZE + 16], text[IP_TEXT_SIZE];

	ip_print_cidr(address, text);
	snprintf(question, sizeof(question), "show interface %s", link);
	snprintf(wanted, sizeof(wanted), " inet%s %s\n", address->family == AF_INET6 ? "6" : "",
		 text);
	if (frr_run_prepare(&run, question, false, NULL, err) < 0 ||
	    frr_run(&node->frr, &run, err) < 0)
		return -1;
	if (frr_run_is_down(&run))
		return error_set(err, ERROR_FRR, "FRR is not running");

	return run.n_answers > 0 && strstr(run.answers[0], wanted) != NULL;
}
