import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { activeAppointment, isActiveAppointment } from '../../../src/domain/values/appointment-status.ts';
import { AppointmentStatus } from '../../../src/generated/prisma/enums.ts';
import { createTestDatabase } from '../../support/app.ts';
import { createOrganization, createUser } from '../../support/factories.ts';
import { createAppointment } from '../../support/schedule.ts';

let database: Database;
beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), poolSize: 2 });
});
afterAll(() => database.close());

it.each(Object.values(AppointmentStatus))(
  'the trigger and the SQL agree with the code whether an appointment counts that is %s',
  async (status) => {
    const { prisma, pool } = database;
    const { id: organizationId } = await createOrganization(prisma, { doubleBooking: 'refuse' });
    const { user } = await createUser(prisma, { organizationId });
    const { id } = await createAppointment(prisma, { organizationId, startsAt: '2031-01-15T14:00:00Z', status }, [user.id]);
    const { rows } = await pool.query(
      `SELECT u.exclusive AS trigger, ${activeAppointment('a')} AS sql
       FROM appointment a JOIN user_appointment u ON u.organization_id = a.organization_id AND u.appointment_id = a.id
      WHERE a.organization_id = $1 AND a.id = $2`,
      [organizationId, id],
    );
    const counts = isActiveAppointment(status);
    expect(rows).toEqual([{ trigger: counts, sql: counts }]);
  },
);
