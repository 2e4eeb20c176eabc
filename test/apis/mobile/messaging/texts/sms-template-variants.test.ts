import { beforeAll, describe, expect, it } from 'vitest';
import type { Actor } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createSurvey } from '../../../../support/check-ins.ts';
import { createPatient } from '../../../../support/factories.ts';
import { addPhoneNumber, anyNumber } from '../../../../support/phone-numbers.ts';
import { createTemplateUsers, freshCategory, PATH } from './templates.ts';

const test = await sharedTestApp();
let admin: Actor;
let organizationId: number;
let create: Awaited<ReturnType<typeof createTemplateUsers>>['create'];
beforeAll(async () => {
  const desk = await createTemplateUsers(test);
  ({ admin, create } = desk);
  ({ organizationId } = desk.own);
  const number = { organizationId, number: anyNumber(), kind: 'plain', carrier: 'local', carrierId: 'PN-1' } as const;
  await addPhoneNumber(test.database.prisma, number);
});

const ENGLISH = '{{first name}}: {{appointment date}} at {{appointment time}}.';
const SPANISH = 'Hola {{first name}}: {{appointment date}}, {{appointment time}}.';
const spanish = { language: 'spa', body: SPANISH };

/** An appointment on a summer day in New York, of a patient who speaks a language. */
async function book(languageCode: string | null, data: object = {}): Promise<number> {
  const patient = await createPatient(test.database.prisma, {
    organizationId,
    firstName: 'Rosa',
    mobilePhone: anyNumber(),
    languageCode,
    ...data,
  });
  const times = {
    startsAt: new Date('2031-07-03T18:30:00Z'),
    localStart: new Date('2031-07-03T14:30:00Z'),
    endsAt: new Date('2031-07-03T19:00:00Z'),
  };
  const place = { organizationId, timeZone: 'America/New_York', durationMinutes: 30, patientId: patient.id };
  return (await test.database.prisma.appointment.create({ data: { ...place, ...times } })).id;
}

const send = async (id: number, body: object = {}) => {
  const answer = await admin.post(`/appointments/${id}/send-sms`).send(body);
  expect(answer.status, answer.text).toBe(201);
  return { ...answer.body.data, warning: answer.headers['warning-fields'] };
};

describe('a template in several languages', () => {
  it('shows each wording with what it costs, and keeps them until others are sent', async () => {
    const made = await create({
      body: 'See you {{first name}} on {{appointment date}}',
      variants: [{ language: 'es-US', body: 'Mañana aquí, {{first name}}' }],
    });
    expect(made).toMatchObject({ language: 'en', encoding: 'GSM-7' });
    expect(made.variants).toEqual([
      {
        language: 'es',
        body: 'Mañana aquí, {{first name}}',
        placeholders: ['first name'],
        segments: 1,
        encoding: 'UCS-2',
        lacks: ['appointment date'],
      },
    ]);
    const put = (body: object) => admin.put(`${PATH}/${made.uuid}/`).send(body);
    expect((await put({ name: 'Other' })).body.data.variants).toEqual(made.variants);
    const back = await put({ variants: made.variants });
    expect([back.body.data.variants, back.headers['warning-fields']]).toEqual([
      made.variants,
      'variants.0.placeholders, variants.0.segments, variants.0.encoding, variants.0.lacks',
    ]);
    expect((await put({ variants: [] })).body.data.variants).toEqual([]);
  });

  it.each<[string, object, string, string]>([
    ['in a language that nobody speaks', { variants: [{ language: 'zz', body: 'x' }] }, '/variants/0/language', 'unknown_language'],
    ['in the language of the body', { variants: [{ language: 'en', body: 'x' }] }, '/variants/0/language', 'duplicate_language'],
    ['with an unknown placeholder', { variants: [{ language: 'es', body: '{{nombre}}' }] }, '/variants/0/body', 'unknown_placeholder'],
    ['without the link', { body: 'Go: {{url}}', variants: [{ language: 'es', body: 'Vaya' }] }, '/variants/0/body', 'missing_placeholder'],
    ['with the minutes of another category', { body: 'In {{minutes}}' }, '/body', 'unknown_placeholder'],
  ])('is refused %s', async (_, fields, pointer, code) => {
    const answer = await admin.post(PATH).send({ category: freshCategory(), name: 'Short', body: 'Hello', ...fields });
    expect([answer.status, answer.body.errors], answer.text).toEqual([400, [expect.objectContaining({ pointer, code })]]);
  });

  it('is sent in the patient’s language, else in the practice’s, which is told', async () => {
    const { uuid: template_id } = await create({ body: ENGLISH, variants: [spanish] });
    const inSpanish = await send(await book('spa'), { template_id });
    expect(inSpanish).toMatchObject({ message: 'Hola Rosa: 3 de julio de 2031, 2:30 p.m.', language: 'es', warning: undefined });
    const inEnglish = await send(await book('vie'), { template_id });
    expect(inEnglish).toMatchObject({ message: 'Rosa: July 3, 2031 at 2:30 PM.', language: 'en', warning: 'template.variants.vi' });
    expect(await send(await book(null), { template_id })).toMatchObject({ language: 'en', warning: undefined });
  });

  it('names the zone to a patient whose clock shows another time', async () => {
    const { uuid: template_id } = await create({ body: ENGLISH, variants: [spanish] });
    const { message } = await send(await book('spa', { timeZone: 'America/Denver' }), { template_id });
    expect(message).toBe('Hola Rosa: 3 de julio de 2031, 2:30 p.m. EDT.');
  });

  it('says how to answer in its own language', async () => {
    const { uuid: template_id } = await create({ body: ENGLISH, variants: [spanish], tracks_response: 1 });
    const { message } = await send(await book('spa'), { template_id });
    expect(message).toMatch(/p\.m\. Responda S para confirmar o N si no puede venir\.$/);
  });

  it('is previewed in every wording with a real appointment, and rendered in the language that is asked for', async () => {
    const { uuid } = await create({ body: `${ENGLISH} {{url}}`, variants: [{ language: 'es', body: `${SPANISH} {{url}}` }] });
    const appointment_id = await book('spa');
    const { status, body } = await admin.get(`${PATH}/${uuid}/preview?appointment_id=${appointment_id}`);
    expect(status).toBe(200);
    expect(body.data.appointment.uuid).toBe(appointment_id);
    expect(body.data.variants.map(({ language, missing }: { language: string; missing: string[] }) => [language, missing])).toEqual([
      ['en', []],
      ['es', []],
    ]);
    expect(body.data.variants[1].text).toMatch(/^Hola Rosa: 3 de julio de 2031, 2:30 p\.m\. http/);
    const next = await admin.get(`${PATH}/${uuid}/preview`);
    expect(next.body.data.appointment.appointment_date).toBe('2031-07-03T18:30:00Z');
    const rendered = await admin.get(`${PATH}/${uuid}/render?appointment_id=${appointment_id}&language=en`);
    expect(rendered.body.data).toMatchObject({ language: 'en', text: expect.stringMatching(/^Rosa: July 3/) });
    expect((await admin.get(`${PATH}/${uuid}/render?appointment_id=${appointment_id}`)).body.data.language).toBe('es');
  });
});

describe('the active template of a category', () => {
  it('is what is sent about an appointment where nothing else is named, and the server’s own words before', async () => {
    const id = await book('spa');
    expect(await send(id)).toMatchObject({
      template_id: null,
      language: 'es',
      message: expect.stringMatching(/^Hola Rosa: su cita con .* es el 3 de julio/),
    });
    const { uuid } = await create({ category: 'Appointment', body: ENGLISH, variants: [spanish], active: 1 });
    expect(await send(id)).toMatchObject({ template_id: uuid, language: 'es', message: 'Hola Rosa: 3 de julio de 2031, 2:30 p.m.' });
    const { data } = (await admin.get(`${PATH}/categories`)).body;
    const [first] = data;
    expect(first).toMatchObject({ category: 'appointment', active_template_id: uuid, tracks_response: 1 });
    expect(data.map(({ category }: { category: string }) => category)).toContain('late');
  });

  it.each<[string, object, string]>([
    ['telehealth', { body: 'Join us' }, 'missing_placeholder'],
    ['checkin', { body: 'On {{appointment date}}: {{url}}' }, 'unusable_placeholder'],
    ['appointment', { body: 'See {{review url}}' }, 'unusable_placeholder'],
    ['late', { body: 'Late by {{minutes}} minutes', tracks_response: 1 }, 'cannot_ask'],
  ])('is refused for %s where it could not be sent', async (category, fields, code) => {
    const { uuid } = await create({ category, ...fields });
    const answer = await admin.post(`${PATH}/category/activate/${uuid}`).send();
    expect([answer.status, answer.body.code], answer.text).toEqual([422, code]);
  });

  it('is what a check-in says, in the patient’s language', async () => {
    const { uuid } = await create({
      category: 'Check In',
      body: 'How are you? {{url}}',
      active: 1,
      variants: [{ language: 'es', body: '{{first name}}, responda: {{url}}' }],
    });
    const prisma = test.database.prisma;
    const { id: recipient_id } = await createPatient(prisma, {
      organizationId,
      firstName: 'Rosa',
      mobilePhone: anyNumber(),
      languageCode: 'spa',
    });
    const { id: survey_type_id } = await createSurvey(test, organizationId);
    const answer = await admin.post('/checkin/send').send({ recipient_id, survey_type_id, sms_email: 'sms' });
    expect(answer.status, answer.text).toBe(201);
    const text = await prisma.smsMessage.findFirst({ where: { organizationId, patientId: recipient_id } });
    expect(text).toMatchObject({ body: 'Rosa, responda: {{url}}', language: 'es', templateId: uuid });
  });
});
