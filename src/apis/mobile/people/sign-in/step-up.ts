import { CHALLENGE_SECONDS } from '../../../../domain/identity/factors/challenges.ts';
import { STEP_UP_SECONDS } from '../../../../domain/identity/factors/step-up.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { proveAgain, stepUpOptions } from '../../../../http/sign-in/prove-again.ts';
import { NoFields, StepUpOptions, StepUpRequest, StepUpResponse, toShownFactor } from './second-factors.wire.ts';
import type { SignInDeps } from './sign-in.ts';

export function stepUpRoutes(endpoints: Endpoints, deps: SignInDeps): void {
  const { post } = endpoints.group({ tag: 'Authorization', beyondDocument: true });
  post('/user/step-up/options', {
    operationId: 'startStepUp',
    summary: 'Start to prove again who you are',
    notForApps: true,
    keyed: 'never',
    body: NoFields,
    bodyOptional: true,
    response: StepUpOptions,
    handle: async ({ tx, request }) => {
      return { data: { ...(await stepUpOptions(tx, deps.keyring, request)), expires_in: CHALLENGE_SECONDS } };
    },
  });

  post('/user/step-up', {
    operationId: 'proveStepUp',
    summary: 'Prove again who you are',
    description:
      'For 15 minutes, operations that returned 401 `step_up_required` can be called. Users with a second factor send one; others send their password.',
    notForApps: true,
    keyed: 'never',
    body: StepUpRequest,
    response: StepUpResponse,
    // Passwords are hashed, and attempts counted, outside of a transaction.
    lookup: ({ body, request }) =>
      proveAgain(deps, request.caller, { password: body.password, challenge: body.challenge, shown: toShownFactor(body), request }),
    handle: async () => ({ data: { max_age: STEP_UP_SECONDS } }),
  });
}
