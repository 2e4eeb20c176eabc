import { changeSecurityPolicy, readSecurityPolicy } from '../../../domain/identity/security-policy.ts';
import type { Endpoints } from '../../../http/declare-endpoints.ts';
import { fromPolicy, PolicyRequest, PolicyResponse, toPolicyChanges } from './policies.wire.ts';

const POLICIES = { tag: 'Policies', beyondDocument: true } as const;

/** The rules of signing in that the practice has set. */
export function policyRoutes({ get, put }: Endpoints): void {
  get('/policies', {
    ...POLICIES,
    operationId: 'getSecurityPolicy',
    summary: 'Read the security policy of the practice',
    response: PolicyResponse,
    etag: true,
    handle: async ({ db, caller }) => ({ data: fromPolicy(await readSecurityPolicy(db, caller.organizationId)) }),
  });

  put('/policies', {
    ...POLICIES,
    operationId: 'updateSecurityPolicy',
    summary: 'Update the security policy of the practice',
    description: 'Fields that are left out keep their values; null clears those that can be null.',
    body: PolicyRequest,
    stepUp: true,
    response: PolicyResponse,
    etag: true,
    current: async ({ db, caller }) => ({ data: fromPolicy(await readSecurityPolicy(db, caller.organizationId)) }),
    handle: async ({ db, caller, body }) => ({ data: fromPolicy(await changeSecurityPolicy(db, caller, toPolicyChanges(body))) }),
  });
}
