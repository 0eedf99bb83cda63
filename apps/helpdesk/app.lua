-- A helpdesk: accounts, their contacts, tickets, and who works on them. Each file
-- of lib has a part; docs/authoring.md explains every word used here.

setting "max_open" (integer { default = 5, min_value = 1, max_value = 100,
  description = "Tickets that one contact may have open." })
setting "answer_hours" (integer { default = 24, min_value = 1, description = "Until an urgent ticket is due." })
pager_url = setting "pager_url" (uri { default = "https://pager.example.com", description = "Who wakes people up." })

require "lib.types"
require "lib.rules"
require "lib.tickets"
require "lib.work"
require "lib.reports"
require "lib.pager"
require "lib.prompts"
