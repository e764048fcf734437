# The textbook encoding. Data: `levels` (each with `exact` and `prefix` rules and `forbidden`),
# `lists` (the host lists of the levels that have one), `capabilities` (tool -> capabilities).
# Input: a tool's name for `tool`, a host for `net`.
package bench

import rego.v1

default tool := "ask"

tool := "deny" if denied

tool := "allow" if {
	not denied
	not "ask" in effects
	"allow" in effects
}

denied if "deny" in effects

denied if {
	some level in data.levels
	some capability in data.capabilities[input]
	capability in level.forbidden
}

effects contains level_effect(level) if some level in data.levels

# An exact rule is the most specific there is; among prefixes the longest wins.
level_effect(level) := level.exact[input]

level_effect(level) := level.prefix[longest] if {
	not level.exact[input]
	matching := [[count(stem), stem] | some stem, _ in level.prefix; startswith(input, stem)]
	longest := max(matching)[1]
}

default net := "deny"

net := "allow" if {
	count(data.lists) > 0
	every list in data.lists {
		some pattern in list
		host_matches(pattern)
	}
}

host_matches(pattern) if pattern == input

host_matches(pattern) if {
	startswith(pattern, "*.")
	endswith(input, substring(pattern, 1, -1))
}
