import { problemWriter } from '../../http/errors/problems.ts';
import { REASSIGNMENT_NAMES } from './appointments/reassignments.wire.ts';
import { CLIENT_NAMES } from './clients/clients.wire.ts';
import { PROVIDER_NAMES } from './identity-provider/identity-provider.wire.ts';
import { MERGE_NAMES } from './patients/merges.wire.ts';
import { POLICY_NAMES } from './policies/policies.wire.ts';
import { USER_NAMES } from './users/users.wire.ts';
import { WEBHOOK_NAMES } from './webhooks/webhooks.wire.ts';

/** A failure as RFC 9457 writes problems, in the field names of this API. */
export const writePlatformProblem = problemWriter({
  ...POLICY_NAMES,
  ...PROVIDER_NAMES,
  ...USER_NAMES,
  ...CLIENT_NAMES,
  ...WEBHOOK_NAMES,
  ...MERGE_NAMES,
  ...REASSIGNMENT_NAMES,
  email: 'sign_in_email',
  id: ['uuid', 'id'],
  patientId: 'patient',
});
