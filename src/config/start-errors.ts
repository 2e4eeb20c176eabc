/** Reason why a process does not start, or had to exit, as a sentence for the operator. */
export class StartError extends Error {}

/** Errors in the environment, a sentence for each, which names the variable. */
export class ConfigError extends StartError {}
