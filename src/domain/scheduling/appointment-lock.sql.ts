import { statement } from '../../database/statements/statement.ts';
import type { AppointmentStatus } from '../../generated/prisma/client.ts';

/** Values: organization, appointment. */
export const LOCK_APPOINTMENT = statement<{ status: AppointmentStatus }>(
  'lock_appointment',
  'SELECT status FROM appointment WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE',
);
