// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>

#include "hbrctl/agreement.h"
#include "hbrctl/call.h"
#include "hbrctl/command.h"
#include "hbrctl/inventory.h"
#include "hbrctl/keys.h"
#include "hbrctl/networks.h"
#include "hbrctl/types.h"
#include "shared/base/cleanup.h"

static void find(json_t *findings, const char *file, const char *network, const char *what)
{
	(void)json_array_append_new(findings, json_pack("{s:s, s:s, s:s}", "file", file, "network",
							network, "what", what));
}

static void check_keys(json_t *network, const struct field_table *table, json_t *findings)
{
	auto_json json_t *texts = json_array();
	json_t *text;
	size_t i;

	keys_check(table, true, json_object_get(network, "config"), texts);
	json_array_foreach(texts, i, text)
		find(findings, inventory_text(network, "file"), inventory_text(network, "network"),
		     json_string_value(text));
}

static void check_network(json_t *network, json_t *known, json_t *findings)
{
	auto_call struct call call = CALL_NONE;
	const char *file = inventory_text(network, "file");
	struct error err;

	check_keys(network, types_find(inventory_text(network, "type"))->fields, findings);
	if (call_make(&call, network, &err) < 0 ||
	    agreement_check(known, file, &call.attachment, &err) < 0)
		find(findings, file, inventory_text(network, "network"), err.msg);
}

static json_t *check_all(char **paths, size_t n, size_t *n_networks)
{
	auto_json json_t *networks = json_array(), *known = json_object();
	auto_json json_t *findings = json_array();
	struct error err;
	json_t *network;
	size_t i;

	for (i = 0; i < n; i++) {
		if (networks_read(paths[i], networks, &err) < 0)
			find(findings, paths[i], "", err.msg);
	}
	json_array_foreach(networks, i, network)
		check_network(network, known, findings);
	*n_networks = json_array_size(networks);

	return take_ptr(&findings);
}

static void print(json_t *findings, size_t n_networks)
{
	json_t *finding;
	size_t i;

	json_array_foreach(findings, i, finding) {
		const char *network = inventory_text(finding, "network");

		printf("%s: %s%s%s\n", inventory_text(finding, "file"), network,
		       network[0] ? ": " : "", inventory_text(finding, "what"));
	}
	printf("networks: %zu, findings: %zu\n", n_networks, json_array_size(findings));
}

int validate_run(const struct options *options, struct error *err)
{
	size_t n_networks;
	auto_json json_t *findings = check_all(options->args, options->n_args, &n_networks);
	auto_json json_t *answer = NULL;

	if (!(options->given & OPTION_JSON)) {
		print(findings, n_networks);
		return json_array_size(findings) ? COMMAND_FOUND : COMMAND_FINE;
	}
	answer = json_pack("{s:I, s:O}", "networks", (json_int_t)n_networks, "findings", findings);
	if (!answer)
		return error_errno(err, ERROR_INTERNAL, ENOMEM, "make a report");
	if (command_print_json(answer, err) < 0)
		return -1;

	return json_array_size(findings) ? COMMAND_FOUND : COMMAND_FINE;
}
