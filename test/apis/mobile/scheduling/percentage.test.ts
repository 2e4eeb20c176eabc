import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createAppointmentType, createLocation, createOffice, createUser } from '../../../support/factories.ts';
import { createAppointment } from '../../../support/schedule.ts';

const test = await sharedTestApp();

const NO_STATUSES = {
  scheduled: 0,
  arrived: 0,
  roomed: 0,
  in_progress: 0,
  checked_out: 0,
  completed: 0,
  no_show: 0,
  cancelled: 0,
};
const NOTHING = {
  percentage: 0,
  confirmed: 0,
  declined: 0,
  pending: 0,
  total: 0,
  statuses: NO_STATUSES,
  no_show_percentage: 0,
  cancelled_percentage: 0,
};

async function clinic() {
  const phone = await signedInUser(test);
  const own = { organizationId: phone.organizationId };
  const add = (row: Omit<Parameters<typeof createAppointment>[1], 'organizationId'>, users: number[] = []) =>
    createAppointment(test.database.prisma, { ...own, startsAt: '2031-01-15T14:00:00Z', ...row }, users);
  const figures = async (query = '') => {
    const answer = await phone.get(`/appointments/percentage${query}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data;
  };
  return { phone, own, add, figures };
}

describe('the percentage of confirmed appointments', () => {
  it('is 0 where there are none, and not an error', async () => {
    const { figures } = await clinic();
    expect(await figures()).toEqual(NOTHING);
    expect(await figures('?user[]=1&user[]=2')).toEqual(NOTHING);
  });

  it('counts what was answered and what was not, without cancelled and undated ones', async () => {
    const { own, add, figures } = await clinic();
    await add({ confirmation: 'Yes' });
    await add({ confirmation: 'No' });
    await add({});
    expect(await figures()).toMatchObject({ percentage: 33.33, confirmed: 1, declined: 1, pending: 1, total: 3 });
    await add({ confirmation: 'Yes', status: 'cancelled' });
    await createAppointment(test.database.prisma, { ...own, confirmation: 'Yes' });
    expect(await figures()).toMatchObject({ total: 3 });
    await add({ confirmation: 'Yes', status: 'no_show' });
    await add({ confirmation: 'Yes', status: 'completed' });
    expect(await figures()).toEqual({
      percentage: 60,
      confirmed: 3,
      declined: 1,
      pending: 1,
      total: 5,
      statuses: { ...NO_STATUSES, scheduled: 3, completed: 1, no_show: 1, cancelled: 1 },
      no_show_percentage: 50,
      cancelled_percentage: 16.67,
    });
  });

  it('is of those that are asked for', async () => {
    const { phone, own, add, figures } = await clinic();
    const db = test.database.prisma;
    const colleague = (await createUser(db, own)).user.id;
    const [type, office, location] = [await createAppointmentType(db, own), await createOffice(db, own), await createLocation(db, own)];
    await add({ confirmation: 'Yes', typeId: type.id, typeOrganizationId: own.organizationId }, [phone.user.id]);
    await add({ confirmation: 'No', officeId: office.id }, [phone.user.id, colleague]);
    await add({ confirmation: 'Yes', locationId: location.id, showOnTasks: false }, [colleague]);
    await add({ startsAt: '2031-01-16T05:00:00Z' });
    const expectPercentage = (percentage: number, total: number) => expect.objectContaining({ percentage, total });
    expect(await figures()).toEqual(expectPercentage(50, 4));
    expect(await figures(`?type=${type.id}`)).toEqual(expectPercentage(100, 1));
    expect(await figures(`?office=${office.id}`)).toEqual(expectPercentage(0, 1));
    expect(await figures(`?location=${location.id}`)).toEqual(expectPercentage(100, 1));
    expect(await figures(`?user[]=${phone.user.id}`)).toEqual(expectPercentage(50, 2));
    expect(await figures(`?user[]=${phone.user.id}&user[]=${colleague}`)).toEqual(expectPercentage(66.67, 3));
    expect(await figures(`?user[]=${colleague}&office=${office.id}`)).toEqual(expectPercentage(0, 1));
    expect(await figures('?show_on_tasks=0')).toEqual(expectPercentage(100, 1));
    expect(await figures('?show_on_tasks=1')).toEqual(expectPercentage(33.33, 3));
    expect(await figures('?max_appointment_date=2031-01-15')).toEqual(expectPercentage(66.67, 3));
    expect(await figures('?min_appointment_date=2031-01-16T00:00:00&max_appointment_date=2031-01-16')).toEqual(expectPercentage(0, 1));
    const stranger = await clinic();
    expect(await stranger.figures(`?office=${office.id}`)).toEqual(NOTHING);
    expect(await stranger.figures()).toEqual(NOTHING);
  });

  it.each(['2031-01-15T00:00:00Z', '2031-01-15T00:00:00%2B00:00', '2031-01-15T00:00:00+00:00', '2031-01-15T00:00:00-05:00'])(
    'refuses the offset of %s, and says so',
    async (date) => {
      const { phone } = await clinic();
      for (const field of ['min_appointment_date', 'max_appointment_date']) {
        const { body } = await phone.get(`/appointments/percentage?${field}=${date}`);
        expect(body).toMatchObject({ status: 400, errors: [{ pointer: `/${field}`, code: 'offset_not_allowed' }] });
        expect(body.detail).toBe(`${field}: must have no offset: these dates are in the organization’s time zone`);
      }
    },
  );

  it('refuses a range that ends before it begins', async () => {
    const { phone } = await clinic();
    const { body } = await phone.get('/appointments/percentage?min_appointment_date=2031-01-16&max_appointment_date=2031-01-15');
    expect(body).toMatchObject({ status: 400, errors: [{ pointer: '/min_appointment_date', code: 'range_is_empty' }] });
  });
});
