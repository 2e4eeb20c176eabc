import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createAppointmentType } from '../../../../support/factories.ts';
import { tellingPractice } from './practice.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;

describe('what a practice sets', () => {
  it('is nothing at first, is replaced as a whole, and is sent back as it was read', async () => {
    const { admin, organizationId } = await tellingPractice(test);
    expect((await admin.get('/visit-messages').expect(200)).body).toEqual({ data: [] });
    const type = await createAppointmentType(rows, { organizationId });
    const sent = [
      { kind: 'Follow_Up', offsets: ['1 day'] },
      { kind: 'reminder', appointment_type_id: type.id, enabled: 1, offsets: ['P7D', '120 minutes'], template_id: null },
    ];
    const { body } = await admin.put('/visit-messages').send(sent).expect(200);
    expect(body.data).toEqual([
      { kind: 'follow-up', appointment_type_id: null, enabled: false, offsets: ['1d'], template_id: null },
      { kind: 'reminder', appointment_type_id: type.id, enabled: true, offsets: ['7d', '2h'], template_id: null },
    ]);
    expect((await admin.put('/visit-messages').send(body).expect(200)).body).toEqual(body);
    expect((await admin.get('/visit-messages').expect(200)).body).toEqual(body);
    expect((await admin.put('/visit-messages').send([]).expect(200)).body).toEqual({ data: [] });
  });

  it.each([
    [{ kind: 'birthday' }, 400],
    [{ kind: 'reminder' }, 400],
    [{ kind: 'reminder', offsets: ['1 week'] }, 400],
    [{ kind: 'reminder', offsets: ['1h', '60m'] }, 400],
    [{ kind: 'booked', offsets: ['1d'] }, 400],
    [{ kind: 'booked', appointment_type_id: 2_000_000_000 }, 404],
    [{ kind: 'booked', template_id: 2_000_000_000 }, 404],
  ])('is refused as %j: %i', async (rule, status) => {
    const { admin } = await tellingPractice(test);
    expect((await admin.put('/visit-messages').send([rule])).status).toBe(status);
    expect((await admin.get('/visit-messages').expect(200)).body).toEqual({ data: [] });
  });

  it('takes templates that the kind can send, and is for admins', async () => {
    const { admin, organizationId } = await tellingPractice(test);
    const template = async (body: string) =>
      (await rows.smsTemplate.create({ data: { organizationId, category: 'x', name: 'x', body } })).id;
    const withLink = { kind: 'booked', template_id: await template('{{url}}') };
    expect((await admin.put('/visit-messages').send([withLink])).body.errors).toMatchObject([{ pointer: '/data/0/template_id' }]);
    await admin
      .put('/visit-messages')
      .send([{ kind: 'booked', template_id: await template('See you on {{appointment date}}') }])
      .expect(200);
    const staff = await signedInUser(test, { organizationId });
    await staff.get('/visit-messages').expect(403);
    await staff.put('/visit-messages').send([]).expect(403);
  });
});
