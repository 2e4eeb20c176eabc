import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createSurvey } from '../../../../support/check-ins.ts';
import { createPatient } from '../../../../support/factories.ts';
import { anyNumber } from '../../../../support/phone-numbers.ts';
import { textingPractice } from './consenting.ts';

const test = await sharedTestApp();
const { person, organizationId, chart, ledger, book } = await textingPractice(test);
const { id: survey } = await createSurvey(test, organizationId);
const rows = () => test.database.prisma;

const quiet = (quietHoursStart: string, quietHoursEnd: string) =>
  rows().organization.update({ where: { id: organizationId }, data: { quietHoursStart, quietHoursEnd }, select: { id: true } });
/** The clock of UTC, so many hours from now. */
const hour = (offset: number) => new Date(Date.now() + offset * 3_600_000).toISOString().slice(11, 16);

describe('can_text', () => {
  const canText = async (id: number): Promise<{ ok: boolean; reason: string | null; until: string | null }[]> => {
    const appointment = await book(id);
    const paths = [`/patients/${id}`, `/contacts/${id}`, `/appointments/${appointment}`];
    const [patient, contact, visit] = await Promise.all(paths.map(async (path) => (await person.get(path).expect(200)).body.data));
    const listed = (await person.get(`/appointments/patient/${id}`).expect(200)).body.data[0];
    return [patient, contact, visit, listed].map(({ can_text }) => can_text);
  };
  const same = (one: object) => [one, one, one, one];

  it('says beforehand, of patient, contact and appointment, what sending would answer', async () => {
    const cases = [
      [{ doNotSms: true }, 'do_not_sms'],
      [{ doNotCall: true }, 'do_not_call'],
      [{ deceasedDate: new Date('2024-02-02') }, 'deceased'],
      [{ mobilePhone: null }, 'no_mobile_number'],
    ] as const;
    for (const [data, reason] of cases) expect(await canText((await chart(data)).id)).toEqual(same({ ok: false, reason, until: null }));
    const { id, number } = await chart();
    await ledger(number, 'STOP');
    expect(await canText(id)).toEqual(same({ ok: false, reason: 'opted_out', until: null }));
    await ledger(number, 'START');
    for (const { ok } of await canText(id)) expect(ok).toBe(true);
  });

  it('is ok in quiet hours, and says until when a text would wait', async () => {
    const { id } = await chart({ timeZone: 'UTC' });
    await quiet(hour(-2), hour(2));
    for (const { ok, reason, until } of await canText(id)) {
      expect([ok, reason]).toEqual([true, 'quiet_hours']);
      expect(Date.parse(until ?? '')).toBeGreaterThan(Date.now());
    }
    const path = `/appointments/${await book(id)}/send-sms`;
    const tried = await person.post(`${path}?dry_run=true`).send({ message: 'Good night.' });
    const sent = await person.post(path).send({ message: 'Good night.' });
    expect(sent.body.data).toMatchObject({ reason_code: 'postponed', not_before: tried.body.data.sends_at });
    await quiet('00:00', '00:00');
    expect(await canText(id)).toEqual(same({ ok: true, reason: null, until: null }));
  });

  it('is of no use for a question that could not be answered: about a visit that has begun, or begins before quiet hours end', async () => {
    const { id: patientId } = await chart({ timeZone: 'UTC' });
    const { id: template_id } = await rows().smsTemplate.create({
      data: { organizationId, category: 'question', name: 'Question', body: 'Will you come? Reply Y.', tracksResponse: true },
    });
    const ask = async (hours: number, query = '') => {
      const startsAt = new Date(Date.now() + hours * 3_600_000);
      const times = { startsAt, localStart: startsAt, endsAt: new Date(startsAt.getTime() + 1), timeZone: 'UTC', durationMinutes: 30 };
      const { id } = await rows().appointment.create({ data: { organizationId, patientId, ...times } });
      const { status, body } = await person.post(`/appointments/${id}/send-sms${query}`).send({ template_id });
      return [status, body.code];
    };
    expect(await ask(-1)).toEqual([409, 'appointment_over']);
    expect(await ask(-1, '?dry_run=true')).toEqual([409, 'appointment_over']);
    await quiet(hour(-2), hour(2));
    expect(await ask(1)).toEqual([409, 'appointment_over']);
    expect(await ask(30)).toEqual([201, undefined]);
    await quiet('00:00', '00:00');
    expect(await ask(1)).toEqual([201, undefined]);
  });

  it('says where nobody is to be written to, and where there is no number to write from', async () => {
    const stranger = await signedInUser(test);
    const { id } = await createPatient(rows(), { organizationId: stranger.organizationId, mobilePhone: anyNumber() });
    expect((await stranger.get(`/patients/${id}`).expect(200)).body.data.can_text).toMatchObject({ ok: false, reason: 'no_number' });
    const { body } = await person.post('/appointments/').send({}).expect(201);
    expect(body.data.can_text).toEqual({ ok: false, reason: 'no_patient', until: null });
  });
});

describe('a dry run', () => {
  const askAndCompare = async (path: string, body: object) => {
    const before = await Promise.all([
      rows().smsMessage.count({ where: { organizationId } }),
      rows().event.count({ where: { organizationId } }),
    ]);
    const answer = await person.post(`${path}?dry_run=true`).set('Idempotency-Key', KEY).send(body);
    const after = await Promise.all([
      rows().smsMessage.count({ where: { organizationId } }),
      rows().event.count({ where: { organizationId } }),
    ]);
    expect(after).toEqual(before);
    return answer;
  };
  const KEY = 'dry and then real';

  it('answers the text, its segments and when it would leave, and writes nothing: the key is free for the real one', async () => {
    const never = { quietHoursStart: '00:00', quietHoursEnd: '00:00' };
    await rows().organization.update({ where: { id: organizationId }, data: never, select: { id: true } });
    const patient = await chart({ languageCode: 'spa' });
    const path = `/appointments/${await book(patient.id)}/send-sms`;
    const body = { message: '{{first name}}: mañana a las 9 está bien.' };
    const { status, body: answer } = await askAndCompare(path, body);
    expect([status, answer.data]).toMatchObject([
      200,
      { dry_run: true, channel: 'sms', message: 'Rosa: mañana a las 9 está bien.', segments: 1, encoding: 'UCS-2', language: 'es' },
    ]);
    expect(`+1${answer.data.to}`).toBe(patient.number);
    expect(Math.abs(Date.parse(answer.data.sends_at) - Date.now())).toBeLessThan(60_000);
    const read = { organizationId, resource: 'patient', action: 'read' } as const;
    const audited = await rows().auditEntry.findMany({ where: read });
    expect(audited.some(({ resourceIds }) => resourceIds.includes(patient.id))).toBe(true);
    const real = await person.post(path).set('Idempotency-Key', KEY).send(body);
    expect([real.status, real.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it('writes the dates of a message in the patient’s language, and its zone once', async () => {
    const id = await book((await chart({ languageCode: 'spa' })).id);
    const twice = { appointment_date: '2031-11-02T01:30:00', appointment_timezone: 'America/New_York' };
    await person.post(`/appointments/${id}`).send(twice).expect(200);
    const said = async (message: string) => (await askAndCompare(`/appointments/${id}/send-sms`, { message })).body.data.message;
    expect(await said('{{appointment day}}, {{appointment time}}')).toBe('domingo, 1:30 a.m. EDT');
    expect(await said('{{appointment time}} {{appointment time zone}}')).toBe('1:30 a.m. EDT');
  });

  it('of a check-in and of an external message counts the link and does not show it', async () => {
    const { id } = await chart();
    const checkIn = await askAndCompare('/checkin/send', { recipient_id: id, survey_type_id: survey, sms_email: 'sms' });
    expect(checkIn.body.data.message).toContain('{{url}}');
    expect(checkIn.body.data.segments).toBeGreaterThan(0);
    const message = await askAndCompare('/external-messages', { message: 'Hi', Contact: id });
    expect(message.body.data).toMatchObject({ dry_run: true, channel: 'sms' });
    const mail = await askAndCompare('/external-messages', { message: 'Hi', sent_to: 'rosa@example.com' });
    expect(mail.body.data).toMatchObject({ channel: 'email', to: 'rosa@example.com', segments: null, encoding: null });
    expect(await rows().checkIn.count({ where: { organizationId, patientId: id } })).toBe(0);
  });

  it('is one in whatever way it is asked for: nothing is sent', async () => {
    const { id } = await chart();
    const before = await rows().smsMessage.count({ where: { organizationId } });
    const path = `/appointments/${await book(id)}/send-sms`;
    for (const [query, body] of [
      ['?dryrun=true', {}],
      ['?dryRun=1', {}],
      ['?dry_run', {}],
      ['?dryrun=', {}],
      ['', { dry_run: true }],
      ['', { dryrun: 1 }],
    ] as const)
      expect(
        (
          await person
            .post(`${path}${query}`)
            .send({ message: 'Hi', ...body })
            .expect(200)
        ).body.data.dry_run,
      ).toBe(true);
    await person.post('/checkin/send').send({ recipient_id: id, survey_type_id: survey, sms_email: 'sms', dry_run: true }).expect(200);
    await person.post('/external-messages').send({ message: 'Hi', Contact: id, dry_run: true }).expect(200);
    expect(await rows().smsMessage.count({ where: { organizationId } })).toBe(before);
    await person.post(path).send({ message: 'Hi', dry_run: false }).expect(201);
  });

  it('is refused where an operation has none: nothing is done', async () => {
    const { id } = await chart();
    const path = `/contacts/${id}/consent`;
    const body = { texts: false, note: 'She called.' };
    for (const answer of [
      await person.post(`${path}?dry_run=true`).send(body),
      await person.post(`${path}?dryrun`).send(body),
      await person.post(path).send({ ...body, dry_run: true }),
    ])
      expect([answer.status, answer.body.errors]).toMatchObject([400, [{ code: 'no_dry_run' }]]);
    expect((await person.get(path)).body.data).toEqual([]);
    expect(
      (
        await person
          .post(path)
          .send({ ...body, dry_run: false })
          .expect(201)
      ).headers['warning-fields'],
    ).toBe('dry_run');
  });

  it('names the language of the wording, and the wording that is missing, as the real one does', async () => {
    const { id } = await chart({ languageCode: 'vie' });
    const path = `/appointments/${await book(id)}/send-sms`;
    const [dry, real] = [await askAndCompare(path, {}), await person.post(path).send({})];
    expect([dry.status, real.status]).toEqual([200, 201]);
    expect([dry.body.data.language, dry.headers['warning-fields']]).toEqual(['en', 'template.variants.vi']);
    expect([real.body.data.language, real.headers['warning-fields']]).toEqual(['en', 'template.variants.vi']);
  });

  it('fails as the real one does', async () => {
    const { id, number } = await chart();
    await ledger(number, 'STOP');
    expect(await askAndCompare('/checkin/send', { recipient_id: id, survey_type_id: survey, sms_email: 'sms' })).toMatchObject({
      status: 409,
      body: { code: 'opted_out' },
    });
  });
});
