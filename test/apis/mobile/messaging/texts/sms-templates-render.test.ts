import { describe, expect, it } from 'vitest';
import { PLACEHOLDERS } from '../../../../../src/domain/messaging/templates/placeholders.ts';
import { pairs } from '../../../../contract/plausible.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient, createProvider, createUser } from '../../../../support/factories.ts';
import { appointmentReferences, createAppointment } from '../../../../support/schedule.ts';

const test = await sharedTestApp();
const rows = () => test.database.prisma;
const staff = await signedInUser(test, { organization: { name: 'North Clinic', phone: '+19105550100' } });
const references = await appointmentReferences(rows(), staff.organizationId);

const own = () => ({ organizationId: staff.organizationId });

const template = (body: string, fields: object = {}) =>
  rows().smsTemplate.create({ data: { ...own(), category: 'any', name: 'Any', body, ...fields } });

interface About {
  appointment_id?: number;
  patient_id?: number;
}

const toQuery = (about: About) => new URLSearchParams(Object.entries(about).flatMap(pairs));

async function render(body: string, about: About = {}, fields: object = {}) {
  const { id } = await template(body, fields);
  const query = toQuery(about);
  return staff.get(`/sms-message-template/${id}/render?${query}`);
}

const renderText = async (...given: Parameters<typeof render>): Promise<string> => (await render(...given)).body.data.text;

/** An appointment at an instant, in a zone. */
const appointmentAt = (startsAt: string, timeZone: string, fields: object = {}) =>
  createAppointment(rows(), { ...own(), startsAt, timeZone, patientId: references.patient.id, ...fields });

describe('a rendered template', () => {
  it('says all that is known of an appointment, its patient and the practice', async () => {
    const { office, location, type, patient } = references;
    await rows().office.update({
      where: { organizationId_id: { ...own(), id: office.id } },
      data: { address1: '12 Main St', address2: 'Suite 3', state: 'CO', zip: '80301' },
    });
    await rows().location.update({ where: { organizationId_id: { ...own(), id: location.id } }, data: { city: 'Boulder' } });
    const provider = await createProvider(rows(), { ...own(), displayName: 'Dr. Quinn' });
    const { id } = await appointmentAt('2031-01-15T16:30:00Z', 'America/Denver', {
      patientId: patient.id,
      officeId: office.id,
      locationId: location.id,
      typeOrganizationId: staff.organizationId,
      typeId: type.id,
      providerId: provider.id,
    });
    const body = PLACEHOLDERS.filter((name) => !name.endsWith('url'))
      .map((name) => `${name}={{${name}}}`)
      .join('|');
    const answer = await render(body, { appointment_id: id });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toMatchObject({ missing: [], segments: 3, encoding: 'GSM-7', template: { body } });
    expect(answer.body.data.text.split('|')).toEqual([
      'first name=Ann',
      'last name=Ames',
      'org name=North Clinic',
      'org phone number=(910) 555-0100',
      'appointment date=January 15, 2031',
      'appointment time=9:30 AM',
      'appointment day=Wednesday',
      'appointment time zone=MST',
      'appointment type=Physical',
      'provider name=Dr. Quinn',
      'office name=North',
      'office address=12 Main St, Suite 3, Boulder, CO 80301',
      'office phone number=(303) 555-0123',
      'location name=Room 2',
      'location address=Boulder',
    ]);
  });

  it('tells what has no value and leaves it out, without braces', async () => {
    const answer = await render('{{first name}}, see {{provider name}} on {{appointment date}} at {{office name}}: {{url}} {{review url}}');
    expect(answer.body.data).toMatchObject({
      text: 'See on at:',
      missing: ['first name', 'provider name', 'appointment date', 'office name', 'url', 'review url'],
    });
  });

  it('of an appointment without a date misses date, time, day and zone', async () => {
    const { id } = await createAppointment(rows(), { ...own(), patientId: references.patient.id });
    const answer = await render('{{first name}}: {{appointment date}}{{appointment time}}{{appointment day}}{{appointment time zone}}', {
      appointment_id: id,
    });
    expect(answer.body.data).toMatchObject({
      text: 'Ann:',
      missing: ['appointment date', 'appointment time', 'appointment day', 'appointment time zone'],
    });
  });

  it('is for the patient who is named, or the appointment’s', async () => {
    const { patient } = references;
    const { id } = await appointmentAt('2031-01-15T16:30:00Z', 'America/Denver');
    const body = '{{first name}} {{last name}}';
    expect(await renderText(body, { patient_id: patient.id })).toBe('Ann Ames');
    expect(await renderText(body, { appointment_id: id })).toBe('Ann Ames');
    expect(await renderText(body, { appointment_id: id, patient_id: patient.id })).toBe('Ann Ames');
    const nobodys = await appointmentAt('2031-01-15T16:30:00Z', 'America/Denver', { patientId: null });
    expect(await renderText(body, { appointment_id: nobodys.id, patient_id: patient.id })).toBe('Ann Ames');
    expect(await renderText(body, { appointment_id: nobodys.id })).toBe('');
  });

  it('names the provider of the appointment, else who takes part as one', async () => {
    const { user } = await createUser(rows(), { ...own(), type: 'provider', firstName: 'Ida', lastName: 'Ito' });
    const { user: nurse } = await createUser(rows(), { ...own(), type: 'staff' });
    const { id } = await createAppointment(rows(), { ...own(), startsAt: '2031-01-15T16:30:00Z' }, [nurse.id, user.id]);
    expect(await renderText('{{provider name}}', { appointment_id: id })).toBe('Ida Ito');
    await createProvider(rows(), { ...own(), userId: user.id, firstName: 'Ida', lastName: 'Ito', displayName: 'Ida Ito, NP' });
    expect(await renderText('{{provider name}}', { appointment_id: id })).toBe('Ida Ito, NP');
    const other = await createProvider(rows(), { ...own(), firstName: 'Ben', lastName: 'Bay' });
    await rows().appointment.update({ where: { organizationId_id: { ...own(), id } }, data: { providerId: other.id } });
    expect(await renderText('{{provider name}}', { appointment_id: id })).toBe('Ben Bay');
  });

  it('counts the segments of the whole text, in the encoding that a name may need', async () => {
    const patient = await createPatient(rows(), { ...own(), firstName: 'Zoë' });
    const body = `{{first name}}${'x'.repeat(70)}`;
    expect((await render(body, { patient_id: patient.id })).body.data).toMatchObject({ segments: 2, encoding: 'UCS-2' });
    expect((await render(body, { patient_id: references.patient.id })).body.data).toMatchObject({ segments: 1, encoding: 'GSM-7' });
  });

  it('leaves an audit row of the appointment and the patient that were read', async () => {
    const { id } = await appointmentAt('2031-01-15T16:30:00Z', 'America/Denver');
    const lone = await createPatient(rows(), own());
    const read = async (about: About, requestId: string) => {
      const { id: uuid } = await template('Hello {{org name}}');
      const query = toQuery(about);
      await staff.get(`/sms-message-template/${uuid}/render?${query}`).set('x-request-id', requestId).expect(200);
      const entries = await rows().auditEntry.findMany({ where: { ...own(), requestId }, orderBy: { id: 'asc' } });
      return entries.map(({ action, resource, resourceIds, operation }) => [action, resource, resourceIds, operation]);
    };
    const operation = 'GET /sms-message-template/{uuid}/render';
    expect(await read({ appointment_id: id }, 'render-1')).toEqual([
      ['read', 'appointment', [id], operation],
      ['read', 'patient', [references.patient.id], operation],
    ]);
    expect(await read({ patient_id: lone.id }, 'render-2')).toEqual([['read', 'patient', [lone.id], operation]]);
    expect(await read({}, 'render-3')).toEqual([]);
  });
});

describe('the time of an appointment in a text', () => {
  it.each([
    ['2031-03-09T06:59:00Z', 'America/New_York', 'Sunday, March 9, 2031, 1:59 AM, EST'],
    ['2031-03-09T07:00:00Z', 'America/New_York', 'Sunday, March 9, 2031, 3:00 AM, EDT'],
    ['2031-11-02T04:59:00Z', 'America/New_York', 'Sunday, November 2, 2031, 12:59 AM, EDT'],
    ['2031-11-02T05:30:00Z', 'America/New_York', 'Sunday, November 2, 2031, 1:30 AM, EDT'],
    ['2031-11-02T06:30:00Z', 'America/New_York', 'Sunday, November 2, 2031, 1:30 AM, EST'],
    ['2031-11-02T07:00:00Z', 'America/New_York', 'Sunday, November 2, 2031, 2:00 AM, EST'],
    ['2031-01-01T05:00:00Z', 'America/New_York', 'Wednesday, January 1, 2031, 12:00 AM, EST'],
    ['2031-01-01T17:00:00Z', 'America/New_York', 'Wednesday, January 1, 2031, 12:00 PM, EST'],
    ['2031-07-01T16:05:00Z', 'America/Phoenix', 'Tuesday, July 1, 2031, 9:05 AM, MST'],
    ['2031-07-01T03:05:00Z', 'Pacific/Honolulu', 'Monday, June 30, 2031, 5:05 PM, HST'],
    ['2031-07-01T16:05:00Z', 'US/Eastern', 'Tuesday, July 1, 2031, 12:05 PM, EDT'],
  ])('%s in %s is %s: the zone’s own, also where the clocks change', async (startsAt, zone, words) => {
    const { id } = await appointmentAt(startsAt, zone);
    const answer = await render('{{appointment day}}, {{appointment date}}, {{appointment time}}, {{appointment time zone}}', {
      appointment_id: id,
    });
    // In GSM-7: no typographic spaces.
    expect(answer.body.data).toMatchObject({ text: words, encoding: 'GSM-7', missing: [] });
  });
});

describe('rendering is refused', () => {
  it('for an appointment of another patient', async () => {
    const { id } = await appointmentAt('2031-01-15T16:30:00Z', 'America/Denver');
    const other = await createPatient(rows(), own());
    const answer = await render('Hello', { appointment_id: id, patient_id: other.id });
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: '/patient_id', code: 'other_patient' }] });
  });

  it('for a cancelled appointment and a deleted patient, by the name of the field', async () => {
    const { id } = await appointmentAt('2031-01-15T16:30:00Z', 'America/Denver', { status: 'cancelled' });
    const gone = await createPatient(rows(), { ...own(), status: 'deleted' });
    expect((await render('Hello', { appointment_id: id })).body).toMatchObject({ status: 404, errors: [{ pointer: '/appointment_id' }] });
    expect((await render('Hello', { patient_id: gone.id })).body).toMatchObject({ status: 404, errors: [{ pointer: '/patient_id' }] });
  });

  it.each(['appointment_id=x', 'appointment_id=0', 'patient_id=2147483648', 'patient_id=1&patient_id=2'])('with %s', async (query) => {
    const { id } = await template('Hello');
    await staff.get(`/sms-message-template/${id}/render?${query}`).expect(400);
  });
});

describe('a template that asks for a yes or no', () => {
  const track = (id: number, query = '') => staff.get(`/sms-message-track-response-template/${id}/render${query}`);

  it('is rendered as it is sent: with how to answer, where it does not say so itself', async () => {
    const { id: appointmentId } = await appointmentAt('2031-01-15T16:30:00Z', 'America/Denver');
    const silent = await template('{{first name}}: {{appointment time}}?', { tracksResponse: true });
    const answer = await track(silent.id, `/?appointment_id=${appointmentId}&patient_id=${references.patient.id}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toMatchObject({
      text: 'Ann: 9:30 AM MST? Reply Y to confirm or N to decline.',
      missing: [],
      segments: 1,
      template: { uuid: silent.id, tracks_response: 1 },
    });
    expect(await renderText('See you?', {}, { tracksResponse: true })).toBe('See you? Reply Y to confirm or N to decline.');
    const telling = await template('Reply YES or NO', { tracksResponse: true });
    expect((await track(telling.id)).body.data.text).toBe('Reply YES or NO');
  });

  it('is none that asks nothing: 404', async () => {
    const { id } = await template('Hello');
    expect((await track(id)).body).toMatchObject({ status: 404, code: 'tracking_template_not_found' });
  });
});
