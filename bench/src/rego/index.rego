# The index encoding. Data: `tools` (name -> capabilities, and the narrowest pattern that matches it),
# `effects` (pattern -> effect), `forbidden` and `hosts` (sets, as objects with `true`).
# Input: a tool's name for `tool`, the spellings of a host for `net`.
package bench

import rego.v1

default tool := "ask"

tool := "deny" if forbidden

tool := data.effects[data.tools[input].pattern] if not forbidden

forbidden if {
	some capability in data.tools[input].capabilities
	data.forbidden[capability]
}

default net := "deny"

net := "allow" if {
	some name in input
	data.hosts[name]
}
