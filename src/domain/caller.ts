import type { Journal } from './journal.ts';

export type Role = 'admin' | 'provider' | 'staff';

/** The acting user, client, operator or job, the organization and the request. Made at the edge for each request, and never changed. */
export interface CallerIdentity {
  organizationId: number;
  /** `user:12`, `client:abc`, `operator:name`, `job:name`: what events and audit rows name. */
  actor: string;
  /** The user who acts; for a client its interface user. Null for operators and jobs. */
  userId: number | null;
  /** Null where no person acts. */
  role: Role | null;
  /** Of an API client, or of the app through which a person acts. */
  scopes: ReadonlySet<string>;
  /** The id of that app; absent where a person acts without one. */
  app?: string;
  /** The session that the user signed in with; null for all others. */
  sessionId: string | null;
  /** `METHOD /path/template`, or the command's name. */
  operation: string;
  requestId: string | null;
  address: string | null;
  /** The restricted and blocked charts that the user has opened in an emergency; absent where there are none. */
  openedCharts?: ReadonlySet<number>;
}

/** A caller inside one unit of work, with the journal of its actions. */
export interface Caller extends CallerIdentity {
  journal: Journal;
}

/** The id of the API client that acts; null for all others. */
export const readClientId = ({ actor }: Pick<CallerIdentity, 'actor'>): string | null =>
  actor.startsWith('client:') ? actor.slice('client:'.length) : null;

/** The scope with which an API client sees restricted and blocked charts. */
export const RESTRICTED_SCOPE = 'restricted.read';

/**
 * Whether restricted and blocked charts exist for a caller: for clients with the scope, and for callers who are no user and no
 * client. Those are operators, jobs, which send what is due to every patient, and patients at links of their own.
 */
export const maySeeRestricted = ({ userId, scopes }: Pick<CallerIdentity, 'userId' | 'scopes'>): boolean =>
  userId === null || scopes.has(RESTRICTED_SCOPE);

/** Whether a chart exists for a caller even if it is restricted or blocked: all do, or the user has opened this one. */
export const maySeeChart = (caller: Pick<CallerIdentity, 'userId' | 'scopes' | 'openedCharts'>, patientId: number | null): boolean =>
  maySeeRestricted(caller) || (patientId !== null && caller.openedCharts?.has(patientId) === true);

export const DELETE_CHARTS_SCOPE = 'practice.admin';

/** Whether a caller may delete charts: an administrator, a client with the scope, and the operator. */
export const mayDeleteCharts = ({ userId, role, scopes }: Pick<CallerIdentity, 'userId' | 'role' | 'scopes'>): boolean =>
  userId === null || role === 'admin' || scopes.has(DELETE_CHARTS_SCOPE);

export const listOpenedCharts = ({ openedCharts }: Pick<CallerIdentity, 'openedCharts'>): number[] => [...(openedCharts ?? [])];

/** The person at the sandbox, who holds the phones of demo patients. */
export const SANDBOX_ACTOR = 'sandbox';

/** Whether the audit is to say that a caller saw a restricted chart: a person or a program outside of the server did. */
export const looksDespiteRestriction = (caller: Pick<CallerIdentity, 'actor' | 'scopes' | 'openedCharts'>): boolean =>
  isOperator(caller) ||
  caller.actor === SANDBOX_ACTOR ||
  caller.scopes.has(RESTRICTED_SCOPE) ||
  (caller.openedCharts !== undefined && caller.openedCharts.size > 0);

/** The actor of operators in rows from before they had names, and of the server's own commands. */
export const OPERATOR = 'operator';

export const isOperator = ({ actor }: Pick<CallerIdentity, 'actor'>): boolean => actor === OPERATOR || actor.startsWith(`${OPERATOR}:`);

export function jobCaller(organizationId: number, name: string): CallerIdentity {
  return { ...operator(organizationId, `job ${name}`), actor: `job:${name}` };
}

/** An operator at the command line, acting for one organization. @param name of the person; null for what the server does by itself */
export function operator(organizationId: number, command: string, name: string | null = null): CallerIdentity {
  return {
    organizationId,
    actor: name === null ? OPERATOR : `${OPERATOR}:${name}`,
    userId: null,
    role: null,
    scopes: new Set(),
    sessionId: null,
    operation: command,
    requestId: null,
    address: null,
  };
}
