import { DELETE_CHARTS_SCOPE, RESTRICTED_SCOPE } from '../../caller.ts';
import { invalid } from '../../errors.ts';

/** The scope with which an API client, such as the cloud of a maker of devices, sends readings. */
export const READINGS_SCOPE = 'readings.write';

/** The scope with which an API client reads the log of events. */
export const EVENTS_SCOPE = 'events.read';

/** The scope with which an API client exports the records of a practice. */
export const EXPORTS_SCOPE = 'exports.read';

/** The scope with which an API client has events delivered to webhook endpoints of its own. */
export const WEBHOOKS_SCOPE = 'webhooks.write';

/** The scopes with which an API client brings in records of another system, and reads how that went. */
export const IMPORT_SCOPES = { read: 'imports.read', write: 'imports.write' } as const;

/** The scopes of programs that act for people by the Model Context Protocol: what its tools read, and what they change. */
export const AGENT_SCOPES = { read: 'agent.read', write: 'agent.write' } as const;

/** The scope with which an API client looks at its own requests. Every one has it: it is neither given nor taken. */
export const REQUESTS_SCOPE = 'requests.read';

/** The scopes of API clients. The first word of a scope is its API, or what it opens. */
export const CLIENT_SCOPES = [
  'integration.read',
  'integration.write',
  'practice.read',
  'practice.write',
  DELETE_CHARTS_SCOPE,
  'ssn.read',
  RESTRICTED_SCOPE,
  READINGS_SCOPE,
  EVENTS_SCOPE,
  EXPORTS_SCOPE,
  WEBHOOKS_SCOPE,
  IMPORT_SCOPES.read,
  IMPORT_SCOPES.write,
  AGENT_SCOPES.read,
  AGENT_SCOPES.write,
] as const;
export type ClientScope = (typeof CLIENT_SCOPES)[number];

export const CLIENT_SCOPE_WORDS: Readonly<Record<ClientScope, string>> = {
  'integration.read': 'Read in the integration API',
  'integration.write': 'Write in the integration API',
  'practice.read': 'Read in the practice API',
  'practice.write': 'Write in the practice API',
  [DELETE_CHARTS_SCOPE]: 'Delete charts',
  'ssn.read': 'See full social security numbers',
  [RESTRICTED_SCOPE]: 'See restricted and blocked charts',
  [READINGS_SCOPE]: 'Send device readings',
  [EVENTS_SCOPE]: 'Read the log of events',
  [EXPORTS_SCOPE]: 'Export all records of a kind',
  [WEBHOOKS_SCOPE]: 'Manage webhook endpoints',
  [IMPORT_SCOPES.read]: 'Read imports',
  [IMPORT_SCOPES.write]: 'Import records',
  [AGENT_SCOPES.read]: 'Read charts, times and texts with MCP tools',
  [AGENT_SCOPES.write]: 'Hold times, book and send texts with MCP tools',
};

/** The scopes of apps, which act for a person. None implies another, and none is a scope of API clients. */
export const APP_SCOPES = ['mobile', 'platform.read', 'platform.manage'] as const;
export type AppScope = (typeof APP_SCOPES)[number];

export type Scope = ClientScope | AppScope;
export const SCOPES: readonly Scope[] = [...CLIENT_SCOPES, ...APP_SCOPES];

/** The words for a scope of apps on the page where a person agrees. */
export const APP_SCOPE_WORDS: Readonly<Record<AppScope, string>> = {
  mobile: 'See and change what you can in daily work: charts, appointments, texts, video visits, monitoring.',
  'platform.read': 'See the administration of your practice, if you are an administrator: users, applications, policies, audit, changes.',
  'platform.manage':
    'Change the administration of your practice, if you are an administrator: users and their roles, applications, policies, single sign-on.',
};

/** The scopes that a client of each kind may have. */
const SCOPES_OF: Readonly<Record<'machine' | 'app', readonly Scope[]>> = { machine: CLIENT_SCOPES, app: APP_SCOPES };

/** The scopes that open an API, or an operation of one; the others say what a client sees there. */
const API_SCOPES = SCOPES.filter(
  (scope) =>
    scope !== DELETE_CHARTS_SCOPE && /^(integration|practice|readings|events|exports|imports|agent|mobile|platform)(\.|$)/.test(scope),
);

/** The scopes of paths that name no practice. Those of apps are no such: the person who signs in belongs to one. */
const OF_ONE_ORGANIZATION = /^(integration|readings|events|exports|imports|agent)\./;

/** @throws Failure invalid for a scope that is none of the kind's, without a scope of an API, and as requireOneOrganization */
export function requireScopes(kind: 'machine' | 'app', scopes: readonly string[], organizations: number): void {
  const possible = SCOPES_OF[kind];
  const unknown = scopes.find((scope) => !possible.some((known) => known === scope));
  if (unknown !== undefined)
    throw invalid('scopes', `"${unknown}" is not among the scopes of ${kind === 'app' ? 'an app' : 'a machine'}: ${possible.join(', ')}`);
  const opening = API_SCOPES.filter((scope) => possible.includes(scope));
  if (!opening.some((scope) => scopes.includes(scope)))
    throw invalid('scopes', `needs at least one of ${opening.join(', ')}; otherwise no API accepts the client`, 'no_api_scope');
  requireOneOrganization(scopes, organizations);
}

/** @throws Failure invalid for several organizations with a scope whose paths name none */
export function requireOneOrganization(scopes: readonly string[], organizations: number): void {
  const single = scopes.find((scope) => OF_ONE_ORGANIZATION.test(scope));
  if (organizations > 1 && single !== undefined) throw invalid('organizations', `a client with ${single} belongs to one organization`);
}
