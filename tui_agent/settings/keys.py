"""What each settings key means, in a sentence: for `settings explain`, the settings screen and the JSON Schema.

Imports nothing. A test holds this table and the schema to each other.
"""

from __future__ import annotations

from typing import Final

__all__ = ["KEYS", "NOT_USED", "PARTS", "is_used"]

KEYS: Final[dict[str, str]] = {
    "permissions.allow": "Rules for calls that run without asking.",
    "permissions.ask": "Rules for calls that always ask.",
    "permissions.deny": "Rules for calls that never run. They beat every other rule, whoever wrote it.",
    "permissions.defaultMode": "The permission mode that sessions start in.",
    "permissions.additionalDirectories": "More working folders, relative to the folder of the session.",
    "permissions.disableBypassPermissionsMode": '"disable" removes the mode that bypasses permissions.',
    "env": "Environment variables of the session and of the commands it runs; they override the shell's own.",
    "model": "The model to use. Read when a session starts.",
    "smallModel": "The model for small tasks, such as summarising a page. Read when a session starts.",
    "providers": "More ways to models, by name: `local/qwen` is `qwen` at `local`. Only your own settings can say this.",
    "maxTurns": "The most requests to the model for one message. Read when a session starts.",
    "maxTokens": "The most tokens in one reply. Read when a session starts.",
    "thinking": "Whether the model thinks before it answers. Read when a session starts; Alt+T changes it there.",
    "alwaysThinkingEnabled": "`false`: the model does not think before it answers, where `thinking` is not set.",
    "features": "Experimental features to switch on. Read when a session starts.",
    "theme": "The theme.",
    "screen": "`linear`: lines of text instead of a screen, as --linear. `full`: the app, even for a screen reader. Read from "
    "your own settings when the program starts.",
    "axScreenReader": "`true`: as `screen`: `linear`, where `screen` is not set.",
    "hooks": "Commands, URLs or prompts that run on events, by the event's name.",
    "disableAllHooks": "Runs no hooks. Outside a policy, it leaves the policy's hooks running.",
    "allowedHttpHookUrls": "The addresses that hooks may call, with `*`. Unset: any; empty: none.",
    "httpHookAllowedEnvVars": "The environment variables that headers of hooks may name. Unset: any; empty: none.",
    "allowManagedPermissionRulesOnly": "Only the policy's permission rules count. Only a policy can say this.",
    "allowManagedHooksOnly": "Only the policy's hooks run. Only a policy can say this.",
    "respectGitignore": "Files that .gitignore names are not offered after @.",
    "plansDirectory": "Where plans are written.",
    "respondToBashCommands": "The model answers to a command run with `!`; otherwise it is told with your next message.",
    "layout": "Where tools and diffs stand: `auto`, `side` (by side), in a `strip`, or nowhere by themselves (`alone`).",
    "editorMode": "The keys of the prompt: `normal`, or those of `vim`.",
    "vimInsertModeRemaps": 'Keys in INSERT and what they stand for: `{"jk": "<Esc>"}`. Only your own settings can say this.',
    "maskSecrets": "Keys and passwords in the output of tools are masked before the model and the records get them.",
    "spendingLimitUsd": "US dollars that a session may cost before you are asked; looked at before each request.",
    "spendingWarnAt": "The share of the spending limit at which a warning is given, from 0 to 1.",
    "reviewMovesOn": "In a review, `a` and `x` go on to the next hunk that is not decided.",
    "prefersReducedMotion": "No animations. Read from your own settings when the program starts.",
    "preferredNotifChannel": "How the terminal notifies you when something waits for you.",
    "enableAllProjectMcpServers": "All MCP servers of a project's `.mcp.json` start without asking.",
    "enabledMcpjsonServers": "Servers of `.mcp.json` that start without asking, as they were when first met.",
    "disabledMcpjsonServers": "Servers of `.mcp.json` that never start.",
    "allowedMcpServers": "The only MCP servers that may start: `{serverName}`, `{serverCommand: […]}` or `{serverUrl}`.",
    "deniedMcpServers": "MCP servers that may not start, as in `allowedMcpServers`. Deny wins.",
    "mcpClientMetadataUrl": "Where a client metadata document of yours lies, to sign in to MCP servers by. Yours alone to set.",
    "mcpIdleSeconds": "Seconds after which an unused MCP server is disconnected; the next call connects it again. 0: never.",
    "allowManagedMcpServersOnly": "Only a policy's `allowedMcpServers` counts.",
    "statusLine.type": "What makes the status line; only `command` is known.",
    "statusLine.command": "A command that gets the state of the session as JSON and prints what stands in the status line.",
    "statusLine.padding": "Columns left free on both sides of its output.",
    "statusLine.refreshInterval": "Seconds after which it runs again by itself. Unset: only when something has changed.",
    "sandbox.enabled": "Commands run in the sandbox, able to write in the working folders only.",
    "sandbox.failIfUnavailable": "With the sandbox enabled, no command runs where there is none.",
    "sandbox.autoAllowBashIfSandboxed": "Commands in the sandbox run without asking, unless a rule says otherwise.",
    "sandbox.excludedCommands": "Commands that run outside of the sandbox, as bodies of Bash rules; they ask as usual.",
    "sandbox.allowUnsandboxedCommands": "A command may ask to run outside of the sandbox.",
    "sandbox.readOnlyWithout": "Commands known to only read run without asking even where no sandbox holds them.",
    "sandbox.filesystem.allowWrite": "More folders that commands in the sandbox may write.",
    "sandbox.filesystem.denyWrite": "Folders that commands in the sandbox may not write.",
    "sandbox.filesystem.denyRead": "Folders that commands in the sandbox may not read.",
    "sandbox.filesystem.allowRead": "Folders inside those that commands in the sandbox may read.",
    "sandbox.filesystem.disabled": "The sandbox does not limit files.",
    "sandbox.network.enabled": "Commands in the sandbox have the network.",
    "sandbox.network.allowedDomains": "Hosts that commands in the sandbox may reach.",
    "sandbox.network.deniedDomains": "Hosts that commands in the sandbox may not reach.",
    "sandbox.network.allowUnixSockets": "Unix sockets that commands in the sandbox may connect to.",
    "sandbox.network.allowAllUnixSockets": "Commands in the sandbox may connect to every Unix socket.",
    "sandbox.network.allowLocalBinding": "Commands in the sandbox may listen on ports of this machine.",
    "claudeMdExcludes": "Memory files that are not read, as globs over whole paths: `**/vendor/CLAUDE.md`.",
    "autoMemoryEnabled": "The model's own notes on the project are read at the start of a conversation.",
    "autoMemoryDirectory": "The folder of these notes. Only your own settings can say this.",
    "skillOverrides": "Whom single skills are offered to, by name: `on`, `name-only`, `user-invocable-only` or `off`.",
    "skillListingBudgetFraction": "The share of the model's context that names and descriptions of skills may fill.",
    "skillListingMaxDescChars": "How many characters of one skill's description the model is told.",
    "disableSkillShellExecution": "Commands in the text of skills do not run; a note stands in their place.",
}

PARTS: Final[dict[str, str]] = {
    "permissions": "What is allowed, asked about or denied.",
    "sandbox": "The sandbox that commands run in.",
    "statusLine": "A status line of your own.",
    "sandbox.filesystem": "Files in the sandbox. `/x` and `//x` are absolute, `~/x` is at home, others start at the project.",
    "sandbox.network": "The network in the sandbox.",
}

# Keys that files written for Claude Code may hold, and that mean nothing here (yet): accepted without complaint.
NOT_USED: Final = frozenset({
    "$schema", "agent", "apiKeyHelper",
    "askUserQuestionTimeout", "attribution", "autoCompactEnabled", "autoCompactWindow",
    "autoMode", "availableModels", "awsAuthRefresh", "awsCredentialExport", "claudeMd",
    "cleanupPeriodDays", "companyAnnouncements", "defaultShell", "disableAutoMode",
    "disableBundledSkills", "effortLevel",
    "enabledPlugins", "extraKnownMarketplaces", "fallbackModel",
    "fileCheckpointingEnabled", "fileSuggestion", "forceLoginMethod", "forceLoginOrgUUID", "includeCoAuthoredBy",
    "includeGitInstructions", "keybindingFlavor", "language", "maxEffortLevel", "maxProseWidth", "otelHeadersHelper",
    "outputStyle", "permissions.disableAutoMode", "promptSuggestionEnabled",
    "sandbox.enableWeakerNestedSandbox", "sandbox.ignoreViolations",
    "sandbox.network.httpProxyPort", "sandbox.network.socksProxyPort", "sandbox.network.strictAllowlist",
    "showClearContextOnPlanAccept", "showTurnDuration", "skipDangerousModePermissionPrompt", "spinnerTipsEnabled",
    "spinnerVerbs", "statusLine.hideVimModeIndicator",
    "subagentStatusLine", "syntaxHighlightingDisabled", "terminalProgressBarEnabled", "tui", "useAutoModeDuringPlan",
    "verbose", "viewMode", "worktree",
})  # fmt: skip


def is_used(key: str) -> bool:
    """Whether a dotted key, or what it is a part of, means something here."""
    return key in KEYS or key in PARTS or key.partition(".")[0] in {
        "env", "hooks", "providers", "skillOverrides", "vimInsertModeRemaps",
    }  # fmt: skip
