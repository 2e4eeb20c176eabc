import { retryOnConnectionLoss } from '../../database/connections/retry-on-connection-loss.ts';
import type { CallerIdentity } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import { isProofFresh, STEP_UP_SECONDS } from '../../domain/identity/factors/step-up.ts';
import type { PracticeTx } from '../../domain/tx.ts';

/**
 * Asks a user to have proved who they are within a quarter of an hour; in an app, at its request. API clients and operators have no
 * session, and pass.
 * @throws Failure unauthenticated `step_up_required` with the challenge of RFC 9470
 */
export async function requireStepUp(tx: PracticeTx & Pick<CallerIdentity, 'sessionId' | 'app'>): Promise<void> {
  const { sessionId, app } = tx;
  if (sessionId === null || (await retryOnConnectionLoss(() => isProofFresh(tx.prisma, { ...tx.practice, sessionId })))) return;
  const error = 'error="insufficient_user_authentication", error_description="Prove again who you are"';
  const how = app === undefined ? 'POST /user/step-up' : `send the person to /oauth2/v1/authorize with max_age=${STEP_UP_SECONDS}`;
  throw new Failure('unauthenticated', 'step_up_required', `You must prove again who you are: ${how}.`, {
    headers: { 'www-authenticate': `Bearer realm="triptych", ${error}, max_age=${STEP_UP_SECONDS}` },
    extensions: { max_age: STEP_UP_SECONDS },
  });
}
