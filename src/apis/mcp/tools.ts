import { z } from 'zod';
import { fold } from '../../domain/values/same-text.ts';
import type { Ask } from './ask.ts';
import { Refusal } from './ask.ts';
import type { Drafts } from './drafts.ts';

/** A tool of programs that speak MCP: a few requests to the mobile API. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  isReadOnly: boolean;
  run(input: unknown, ask: Ask, drafts: Drafts): Promise<object>;
}

/** A tool whose input has the type of its shape. */
function tool<S extends z.ZodObject>(
  declared: Omit<Tool, 'input' | 'run'> & { input: S; run: (input: z.output<S>, ask: Ask, drafts: Drafts) => Promise<object> },
): Tool {
  return { ...declared, run: (input, ask, drafts) => declared.run(declared.input.parse(input), ask, drafts) };
}

const id = (what: string) => z.int().min(1).max(Number.MAX_SAFE_INTEGER).describe(what);
const day = (what: string) => z.string().max(40).describe(what);
const token = z.string().max(20_000).optional().describe('Token of the draft to confirm. Without a token, only a draft is created');

const PatientShown = z.object({
  uuid: z.int(),
  firstname: z.string().nullable(),
  lastname: z.string().nullable(),
  dob: z.string().nullable(),
  phone_no: z.string().nullable(),
  email: z.string().nullable(),
  med_rec_no: z.string().nullable(),
  provider: z.int().nullable(),
  office: z.int().nullable(),
});

const readPatient = async (ask: Ask, patientId: number) => PatientShown.parse(await ask({ method: 'GET', path: `/patients/${patientId}` }));

const findPatient = tool({
  name: 'find_patient',
  title: 'Find a patient',
  description: 'Finds at most ten charts by name, birth date, telephone number or record number. All given values must match.',
  isReadOnly: true,
  input: z.strictObject({
    name: z.string().max(200).optional().describe('Prefixes of words in the name'),
    dob: day('Birth date, YYYY-MM-DD').optional(),
    phone: z.string().max(40).optional().describe('Mobile, home or work number'),
    med_rec_no: z.string().max(100).optional().describe('Medical record number'),
  }),
  async run({ name, ...by }, ask) {
    const given = Object.entries({ ...by, search: name }).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]]));
    if (given.every(([, value = '']) => fold(value) === ''))
      throw new Refusal('missing: Give at least one of name, dob, phone and med_rec_no.');
    const found = await ask({ method: 'GET', path: '/patients', query: { ...Object.fromEntries(given), limit: 10 } });
    return { patients: z.array(PatientShown).parse(found) };
  },
});

const AppointmentShown = z.object({
  uuid: z.int(),
  appointment_date: z.string().nullable(),
  duration_minutes: z.int(),
  status: z.string(),
  provider_id: z.int().nullable(),
  office_id: z.int().nullable(),
});
const TextShown = z.object({
  uuid: z.int(),
  direction: z.string(),
  state: z.string(),
  message: z.string().nullable(),
  created_at: z.string(),
  sent_at: z.string().nullable(),
});

const readTimeline = tool({
  name: 'read_timeline',
  title: 'Read the timeline of a patient',
  description: 'Past and future appointments and texts of a patient, newest first.',
  isReadOnly: true,
  input: z.strictObject({ patient_id: id('Patient id'), limit: z.int().min(1).max(200).default(30).describe('Maximum number of entries') }),
  async run({ patient_id: patient, limit }, ask) {
    const [appointments, texts] = await Promise.all([
      ask({ method: 'GET', path: `/appointments/patient/${patient}`, query: { limit: 1_000 } }),
      ask({ method: 'GET', path: '/sms-messages', query: { patient, limit } }),
    ]);
    const entries = [
      ...z
        .array(AppointmentShown)
        .parse(appointments)
        .map(({ appointment_date: at, ...appointment }) => ({ at, appointment })),
      ...z
        .array(TextShown)
        .parse(texts)
        .map(({ created_at, sent_at, ...text }) => ({ at: sent_at ?? created_at, text })),
    ];
    return { entries: entries.sort((one, other) => (other.at ?? '').localeCompare(one.at ?? '')).slice(0, limit) };
  },
});

const SlotShown = z.object({
  uuid: z.int(),
  provider_id: z.int(),
  office_id: z.int(),
  appointment_type_id: z.int().nullable(),
  starts_at: z.string(),
  starts_at_local: z.string(),
  timezone: z.string(),
  duration_minutes: z.int(),
  modality: z.string(),
});
const HoldShown = z.object({
  uuid: z.int(),
  slot: z.int(),
  provider_id: z.int(),
  office_id: z.int(),
  appointment_type_id: z.int().nullable(),
  starts_at: z.string(),
  ends_at: z.string(),
  expires_at: z.string(),
});

const holdSlot = async (ask: Ask, slot: number) =>
  HoldShown.parse(await ask({ method: 'POST', path: '/slots/hold', body: { slot, minutes: 10 } }));

const findTime = tool({
  name: 'find_time',
  title: 'Find or hold a free time',
  description: 'Lists free times, earliest first. With hold, instead reserves one of them for ten minutes.',
  isReadOnly: false,
  input: z.strictObject({
    from: day('A day, or a date and time; now by default').optional(),
    until: day('A day, inclusive; a week later by default').optional(),
    type: id('Appointment type id').optional(),
    provider: id('Provider id').optional(),
    office: id('Office id').optional(),
    limit: z.int().min(1).max(100).default(10).describe('Maximum number of times'),
    hold: id('uuid of the free time to hold').optional(),
  }),
  async run({ hold, ...search }, ask) {
    if (hold !== undefined) return { hold: await holdSlot(ask, hold) };
    const given = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    return { slots: z.array(SlotShown).parse(await ask({ method: 'GET', path: '/slots', query: Object.fromEntries(given) })) };
  },
});

const book = tool({
  name: 'book',
  title: 'Book an appointment',
  description:
    'First call with patient_id and slot: holds the time and returns a draft with a token. Second call with only the token: books it.',
  isReadOnly: false,
  input: z.strictObject({ patient_id: id('Patient id').optional(), slot: id('uuid of a free time').optional(), token }),
  async run({ patient_id, slot, token: confirmed }, ask, drafts) {
    if (confirmed !== undefined) return { booked: AppointmentShown.parse(await ask(drafts.confirm(confirmed))) };
    if (patient_id === undefined || slot === undefined) throw new Refusal('missing: Give patient_id and slot, or the token of a draft.');
    const patient = await readPatient(ask, patient_id);
    const time = await holdSlot(ask, slot);
    const draft = drafts.write({ method: 'POST', path: '/appointments/', body: { hold: time.uuid, patient_id } });
    return { draft: { patient, time }, ...draft };
  },
});

const draftText = tool({
  name: 'draft_text',
  title: 'Draft a text to a patient',
  description:
    'First call with patient_id and message: returns the text as it would be sent, with a token. Second call with only the token: sends it, or queues it until the patient’s quiet hours end.',
  isReadOnly: false,
  input: z.strictObject({
    patient_id: id('Patient id').optional(),
    message: z.string().min(1).max(1_600).optional().describe('Message of the text'),
    token,
  }),
  async run({ patient_id, message, token: confirmed }, ask, drafts) {
    if (confirmed !== undefined) return { sent: TextShown.partial().parse(await ask(drafts.confirm(confirmed))) };
    if (patient_id === undefined || message === undefined)
      throw new Refusal('missing: Give patient_id and message, or the token of a draft.');
    const { phone_no: number } = await readPatient(ask, patient_id);
    if (number === null) throw new Refusal('no_number: The chart has no mobile number.');
    const path = `/conversations/${encodeURIComponent(number)}/messages`;
    const body = { message, patient_uuid: patient_id };
    const draft = await ask({ method: 'POST', path, query: { dry_run: 'true' }, body });
    return { draft, ...drafts.write({ method: 'POST', path, body }) };
  },
});

export const TOOLS: readonly Tool[] = [findPatient, readTimeline, findTime, book, draftText];
