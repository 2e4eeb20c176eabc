import { readPolicyCoverage } from '../../../domain/identity/policies/policy-coverage.ts';
import { changeSecurityPolicy, readSecurityPolicy } from '../../../domain/identity/policies/security-policy.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { CoverageResponse, fromCoverage, fromPolicy, PolicyRequest, PolicyResponse, toPolicyChanges } from './policies.wire.ts';

export function policyRoutes(endpoints: Endpoints): void {
  const { get, put } = endpoints.group({ tag: 'Policies', beyondDocument: true });
  const current = get('/policies', {
    operationId: 'getSecurityPolicy',
    summary: 'Read the security policy of the practice',
    response: PolicyResponse,
    etag: true,
    handle: async ({ tx }) => ({ data: fromPolicy(await readSecurityPolicy(tx)) }),
  });

  get('/policies/coverage', {
    operationId: 'getPolicyCoverage',
    summary: 'Read how many users a stricter security policy would affect',
    description:
      'Returns counts to check before changing the policy. A second factor is required from the next sign-in on; open sessions continue.',
    response: CoverageResponse,
    handle: async ({ tx }) => ({ data: fromCoverage(await readPolicyCoverage(tx)) }),
  });

  put('/policies', {
    operationId: 'updateSecurityPolicy',
    summary: 'Update the security policy of the practice',
    description:
      'Omitted fields keep their values; null clears those that can be null. Shorter limits also apply to open sessions; a second factor is required from the next sign-in on. Passwords can be switched off once the caller has signed in with the identity provider (409 `single_sign_on_not_proven`).',
    body: PolicyRequest,
    stepUp: true,
    response: PolicyResponse,
    etag: true,
    current,
    handle: async ({ tx, body }) => ({ data: fromPolicy(await changeSecurityPolicy(tx, toPolicyChanges(body))) }),
  });
}
