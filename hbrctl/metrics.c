// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "hbrctl/command.h"
#include "hbrctl/inventory.h"
#include "shared/base/cleanup.h"

static const char *const domain_states[] = { "ok", "drift", "away", "unheld", "damaged" };
static const char *const attachment_states[] = { "ok",         "drift",      "away",  "dead",
						 "unfinished", "unrecorded", "unseen" };

static void head(const char *name, const char *help)
{
	printf("# HELP hbr_cni_%s %s\n# TYPE hbr_cni_%s gauge\n", name, help, name);
}

static size_t count(json_t *list, const char *state)
{
	size_t n = 0, i;
	json_t *entry;

	json_array_foreach(list, i, entry)
		n += strcmp(inventory_text(entry, "state"), state) == 0;

	return n;
}

/* Each state has its line, also with 0: what is not there cannot be alerted on. */
static void by_state(const char *name, const char *help, json_t *list, const char *const *states,
		     size_t n)
{
	head(name, help);
	for (size_t i = 0; i < n; i++)
		printf("hbr_cni_%s{state=\"%s\"} %zu\n", name, states[i], count(list, states[i]));
}

/* A name of a VRF may have any character but blanks. */
static void put_label(const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
}

static size_t count_wrong(json_t *domain)
{
	size_t n = 0, i;
	json_t *link;

	json_array_foreach(json_object_get(domain, "links"), i, link)
		n += inventory_text(link, "wrong")[0] != '\0';

	return n;
}

static void of_domains(json_t *domains, const char *name, const char *help,
		       size_t (*value)(json_t *domain))
{
	json_t *domain;
	size_t i;

	head(name, help);
	json_array_foreach(domains, i, domain) {
		printf("hbr_cni_%s{domain=\"", name);
		put_label(inventory_text(domain, "name"));
		printf("\"} %zu\n", value(domain));
	}
}

static size_t count_holders(json_t *domain)
{
	return json_array_size(json_object_get(domain, "held"));
}

int metrics_run(const struct options *options, struct error *err)
{
	auto_json json_t *inventory = NULL;
	json_t *domains;

	(void)options;
	if (inventory_take(&inventory, err) < 0)
		return -1;
	domains = json_object_get(inventory, "domains");

	head("hbr_netns_there", "Whether the HBR netns is there.");
	printf("hbr_cni_hbr_netns_there %d\n",
	       json_is_true(json_object_get(inventory, "hbrThere")));
	by_state("domains", "Domains on this node.", domains, domain_states, COUNT(domain_states));
	by_state("attachments", "Interfaces of pods on this node.",
		 json_object_get(inventory, "attachments"), attachment_states,
		 COUNT(attachment_states));
	of_domains(domains, "domain_holders", "What holds a domain: pods, L2 domains of a VRF.",
		   count_holders);
	of_domains(domains, "domain_drift", "Links of a domain that the kernel has otherwise.",
		   count_wrong);
	head("leftovers", "Links with our mark that nobody remembers.");
	printf("hbr_cni_leftovers %zu\n", json_array_size(json_object_get(inventory, "leftovers")));

	return COMMAND_FINE;
}
