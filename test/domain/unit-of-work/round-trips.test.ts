import { describe, expect, it } from 'vitest';
import { sendWebhook } from '../../callbacks/signing.ts';
import { practiceClient } from '../../support/actors.ts';
import { ownTestApp } from '../../support/app.ts';
import { createRecipient, findLink, surveyingPractice } from '../../support/check-ins.ts';
import { runAsOwner } from '../../support/database-roles.ts';
import { createPatient } from '../../support/factories.ts';
import { recordFlushes } from '../../support/flushes.ts';
import { anyNumber } from '../../support/phone-numbers.ts';
import { createAppointment } from '../../support/schedule.ts';

const test = await ownTestApp();
const system = await practiceClient(test, { organization: { matchOnRegistration: true } });

const FORM = { firstname: 'Ann', lastname: 'Trip', dob: '01/15/1980', zip: '27601' };

it('a registration with an Idempotency-Key takes two round trips', async () => {
  const register = (key: string) => async () =>
    system
      .post('/patients')
      .type('form')
      .set('idempotency-key', key)
      .send({ ...FORM, firstname: key });
  await register('warm')();
  expect(await recordFlushes(register('counted'))).toEqual([
    ['begin', 'claim_key', 'registration_context', 'patient_id', 'lock_name', 'same_person', 'possible_matches'],
    // Numbered by the columns that it sets.
    [expect.stringMatching(/^insert_patient_\d+$/), 'journal', 'commit'],
  ]);
});

it('a change of a patient takes two round trips', async () => {
  const [{ patientid }] = (await system.post('/patients').type('form').send(FORM)).body;
  const change = (city: string) => async () => system.put(`/patients/${patientid}`).type('form').send({ city });
  await change('Durham')();
  expect(await recordFlushes(change('Cary'))).toEqual([
    ['begin', 'lock_patient'],
    [expect.stringMatching(/^change_patient_\d+$/), 'journal', 'commit'],
  ]);
});

describe('a practice that texts and asks', async () => {
  const practice = await surveyingPractice(test);
  const { organizationId, person } = practice;
  const { number: ours } = await test.database.prisma.phoneNumber.findFirstOrThrow({ where: { organizationId } });
  const template = { organizationId, category: 'reminder', name: 'Question', body: '{{appointment date}}? Reply Y or N.' };
  const { id: templateId } = await test.database.prisma.smsTemplate.create({ data: { ...template, tracksResponse: true } });

  /** A patient who is asked to confirm a visit. */
  async function visit() {
    const number = anyNumber();
    const { id: patientId } = await createPatient(test.database.prisma, { organizationId, mobilePhone: number });
    const { id } = await createAppointment(test.database.prisma, { organizationId, patientId, startsAt: '2031-03-04T15:00:00Z' });
    return {
      number,
      ask: () => person.post(`/appointments/${id}/send-sms`).set('idempotency-key', number).send({ template_id: templateId }),
    };
  }

  it('queues a text in two round trips', async () => {
    const [first, counted] = [await visit(), await visit()];
    await first.ask();
    expect(await recordFlushes(counted.ask)).toEqual([
      ['begin', 'claim_key', 'lock_appointment', 'appointment_by_id', 'text_facts', 'text_id', 'template_by_id', 'provider_names'],
      ['insert_text', 'name_appointments', 'store_initial_text', 'enqueue_send-text', 'journal', 'commit'],
    ]);
  });

  it('takes a Yes in four round trips, and replies', async () => {
    const [first, counted] = [await visit(), await visit()];
    for (const { ask } of [first, counted]) await ask();
    const sent = { state: 'sent', attempts: 1, attemptedAt: new Date(), sentAt: new Date() } as const;
    await test.database.prisma.smsMessage.updateMany({ where: { organizationId }, data: sent });
    const answer = (from: string) => async () =>
      sendWebhook(test, { kind: 'text', id: `SM${from}`, from, to: ours, body: 'Y', at: new Date().toISOString() });
    await answer(first.number)();
    expect(await recordFlushes(answer(counted.number))).toEqual([
      [
        'begin',
        'hold_number',
        'inbound_facts',
        'questions',
        'choice_list',
        'texted_offer',
        'patient_of_number',
        'contact_of_number',
        'text_id',
      ],
      [
        ...[
          'insert_text',
          'lock_declined_item',
          'store_answer',
          'settle_questions',
          'appointments_to_label',
          'provider_names',
          'number_owners',
          'text_facts',
          'text_id',
        ],
        ...['outdated_replies'],
      ],
      // Whether the yes is one to texts in Spanish.
      ['insert_text', 'name_appointments', 'store_initial_text', 'language_facts'],
      ['enqueue_send-text', 'journal', 'commit'],
    ]);
  });

  it('takes the answers of a check-in in three round trips', async () => {
    const link = async () => {
      const { id } = await createRecipient(test, organizationId);
      const sent = await person.post('/checkin/send').send({ sms_email: 'sms', recipient_id: id, survey_type_id: practice.survey.id });
      return findLink(test, organizationId, sent.body.data.uuid);
    };
    const answers = { answer_systolic: '120', answer_symptom: 'None', answer_feeling: '4', answer_slept: 'yes' };
    const [first, counted] = [await link(), await link()];
    await test.http.post(first).type('form').send(answers);
    expect(await recordFlushes(async () => test.http.post(counted).type('form').send(answers))).toEqual([
      ['begin', 'lock_check_in', 'linked_check_in', 'link_practice'],
      ['store_answers', 'store_readings', 'targets'],
      ['journal', 'commit'],
    ]);
  });

  it('takes a hundred readings in three round trips', async () => {
    const { id } = await createPatient(test.database.prisma, { organizationId });
    const item = await test.database.prisma.item.create({ data: { organizationId, name: 'Pulse', unit: 'bpm', maxTarget: 140 } });
    const send = (hours: number) => async () => {
      const readings = Array.from({ length: 100 }, (_, minute) => ({
        patient_uuid: id,
        item_uuid: item.id,
        value: 100,
        unit: 'bpm',
        measured_at: new Date(Date.now() - hours * 3_600_000 - minute * 1_000).toISOString(),
        device: { identifier: 'cuff' },
      }));
      return person.post('/remote-patient-monitoring/readings').set('idempotency-key', `${hours}`).send({ readings });
    };
    await send(1)();
    expect(await recordFlushes(send(2))).toEqual([
      ['begin', 'claim_key', 'measured_patients', 'measured_items', 'organization_zone', 'find_devices'],
      ['store_readings', 'targets', 'closed_months'],
      ['journal', 'commit'],
    ]);
  });
});

it('leaves nothing of a registration whose connection is lost between its journal and its commit', async () => {
  await runAsOwner(
    test.databaseUrl,
    `
    CREATE FUNCTION end_connection() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER end_connection AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.name = 'patient.registered') EXECUTE FUNCTION end_connection();`,
  );
  const { organizationId } = system;
  const where = { organizationId, requestId: 'lost-in-commit' };
  const send = () =>
    system
      .post('/patients')
      .type('form')
      .set('idempotency-key', 'lost')
      .set('x-request-id', 'lost-in-commit')
      .send({ ...FORM, firstname: 'Lost' });
  const before = await test.database.prisma.patient.count({ where: { organizationId } });
  expect((await send()).status).toBe(503);
  expect(await test.database.prisma.patient.count({ where: { organizationId } })).toBe(before);
  expect(await test.database.prisma.event.count({ where })).toBe(0);
  expect(await test.database.prisma.auditEntry.count({ where })).toBe(0);
  expect(await test.database.prisma.idempotencyRecord.count({ where: { organizationId, key: 'lost' } })).toBe(0);
  await runAsOwner(test.databaseUrl, 'DROP TRIGGER end_connection ON event; DROP FUNCTION end_connection();');
  expect((await send()).status).toBe(200);
});
