import { z } from 'zod';
import type { Failure, Issue } from '../../../../domain/errors.ts';
import type { NamedReading } from '../../../../domain/monitoring/readings/named-readings.ts';
import type { ReadingView } from '../../../../domain/monitoring/readings/reading-list.ts';
import { READING_SOURCES } from '../../../../domain/monitoring/readings/readings.ts';
import { MOST_READINGS, type ReceivedReading } from '../../../../domain/monitoring/readings/receive-readings.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { checkInput, invalidInput } from '../../../../http/input/input.ts';
import { id, instant, longId, moment, multilineText, optional, text } from '../../../../http/wire/wire-types.ts';
import { one } from '../../shared.wire.ts';
import { fromTarget, TargetShape } from './targets.wire.ts';

/** Names on the wire of the domain's fields that an error about a reading may name. */
export const READING_NAMES = { itemId: 'item_uuid', measuredAt: 'measured_at', medRecNo: 'med_rec_no' } as const;
const NAMES: Readonly<Record<string, string>> = { ...READING_NAMES, patientId: 'patient_uuid' };

export const ItemOfReading = z.strictObject({ uuid: z.int(), name: z.string(), unit: z.string().nullable() }).meta({ id: 'ReadingItem' });

const DeviceShape = z
  .strictObject({
    uuid: z.int(),
    identifier: z.string().describe('Names the device within the practice, in any case'),
    make: z.string().nullable(),
    model: z.string().nullable(),
    serial: z.string().nullable(),
  })
  .meta({ id: 'MonitoringDevice' });

const READING = {
  uuid: z.int(),
  patient_uuid: z.int(),
  item: ItemOfReading,
  value: z.number().describe('In the unit of the item'),
  measured_at: instant(),
  received_at: instant().describe('When the server received it'),
  source: z
    .enum(READING_SOURCES)
    .describe('device: a device measured by itself; self: reported by the patient; staff: entered by the practice'),
  device: DeviceShape.nullable().describe('Device that measured; set if the source is device'),
  checkin_uuid: z.int().nullable().describe('Check-in that it is an answer to'),
  recorded_by_user_uuid: z
    .int()
    .nullable()
    .describe('User, or interface user of an API client, who sent it; null for an answer to a check-in'),
  target: TargetShape.nullable().describe('Target at the time of the measurement'),
  state: z
    .enum(['within', 'watch', 'danger', 'implausible'])
    .nullable()
    .describe(
      'watch: outside of the target; danger: beyond a danger limit; implausible: an implausible value from a device, which raises no alert and does not count; null without a target',
    ),
  entered_in_error: z
    .strictObject({ at: instant(), by_user_uuid: z.int().nullable().describe('User who marked it'), reason: z.string() })
    .nullable()
    .describe('Set if the reading was entered in error and does not count; otherwise null'),
};

export const ReadingShape = z.strictObject({ kind: z.literal('reading'), ...READING }).meta({ id: 'Reading' });

const ReceivedShape = z
  .strictObject({ kind: z.literal('reading'), ...READING, duplicate: z.boolean().describe('Whether it was already stored') })
  .meta({ id: 'ReceivedReading' });

const ResultShape = z.strictObject({
  outcome: z.enum(['stored', 'duplicate', 'refused']),
  reading: ReadingShape.nullable().describe('The stored reading; null if it was refused'),
  errors: z
    .array(z.strictObject({ pointer: z.string(), code: z.string(), detail: z.string() }))
    .describe('Why the reading was refused, by field'),
});

const BatchShape = z
  .strictObject({
    kind: z.literal('batch'),
    stored: z.int().describe('Number of readings stored'),
    duplicates: z.int().describe('Number of readings that were already stored'),
    refused: z.int().describe('Number of readings refused'),
    results: z.array(ResultShape).describe('One result per reading, in their order'),
  })
  .meta({ id: 'ReadingBatch' });

export const ReceivedResponse = one(
  z.discriminatedUnion('kind', [ReceivedShape, BatchShape]).describe('The reading, or the results of a batch'),
).meta({ id: 'ReceivedReadingsResponse' });

const SHORT = 100;
const LONGEST_REASON = 1_000;
const DeviceRequest = z
  .object({
    identifier: optional(text(200)).describe(
      'Identifier of the device in the practice; case is ignored. Without it, make, model and serial are required',
    ),
    make: optional(text(SHORT)),
    model: optional(text(SHORT)),
    serial: optional(text(SHORT)),
  })
  .meta({ id: 'ReadingDevice' });

const SENT = {
  value: z.number().describe('Rounded to three decimals'),
  measured_at: moment(40).describe('ISO 8601 with an offset; at most 365 days back'),
};
const ALSO_SENT = {
  patient_uuid: optional(id()).describe('Patient id; or use med_rec_no, or the serial of a device assigned to the patient'),
  med_rec_no: optional(text(50)).describe('Medical record number of the patient'),
  item_uuid: optional(id()).describe('Id of the measured item; or use loinc'),
  loinc: optional(text(20)).describe('LOINC code of the measured item, as in the list of items'),
  unit: optional(text(40)).describe(
    'Unit of the item; case is ignored. Converted: lb and kg, °F and °C, in and cm, kPa and mmHg. Omit it for an item without a unit',
  ),
  device: optional(DeviceRequest).describe('Device that measured'),
  source: optional(z.enum(READING_SOURCES)).describe(
    'device if a device is named; otherwise staff (the default), or self for a value reported by the patient. API clients must name a device or send self',
  ),
};

const Sent = z.object({ ...SENT, ...ALSO_SENT }).meta({ id: 'ReadingCreate' });

/** A reading, or what is wrong with it. */
type Entry = { sent: z.output<typeof Sent> } | { issues: Issue[] };

/** A reading of a batch: one that cannot be read is refused by itself, and holds up none of the others. */
const EntryShape = Sent.transform((sent): Entry => ({ sent })).catch(({ input }) => ({ issues: checkInput(Sent, input).issues ?? [] }));

/** A field that is needed where no list is sent, whatever else is wrong with the body. */
const needed = (field: keyof typeof SENT) => ({
  path: [field],
  error: 'is required unless readings is sent',
  params: { code: 'missing' },
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null && !Array.isArray(value),
});

const Single = z.object(SENT).partial();

export const ReadingsRequest = z
  .object({
    ...Single.shape,
    ...ALSO_SENT,
    readings: z
      .array(EntryShape)
      .min(1)
      .max(MOST_READINGS)
      .optional()
      .describe('Readings of a batch, instead of the fields of a single one'),
  })
  .refine(({ readings, value }) => readings !== undefined || value !== undefined, needed('value'))
  .refine(({ readings, measured_at }) => readings !== undefined || measured_at !== undefined, needed('measured_at'))
  .refine(({ readings, ...single }) => readings === undefined || Object.values(single).every((field) => field === undefined), {
    path: ['readings'],
    error: 'must not be combined with the fields of a single reading',
    params: { code: 'contradiction' },
  })
  .meta({ id: 'ReadingsCreate' });

/** The readings of a request, or what is wrong with them. */
export function toSentReadings({ readings, ...single }: z.output<typeof ReadingsRequest>): (NamedReading | Failure)[] {
  const entries = readings ?? [{ sent: Sent.parse(single) }];
  // Failures are made here: their stacks cost much within the shapes.
  return entries.map((entry) => ('issues' in entry ? invalidInput(entry.issues) : toSentReading(entry.sent)));
}

const toSentReading = ({
  patient_uuid = null,
  med_rec_no = null,
  item_uuid = null,
  loinc = null,
  value,
  unit = null,
  measured_at,
  device,
  source = null,
}: z.output<typeof Sent>): NamedReading => ({
  patientId: patient_uuid,
  medRecNo: med_rec_no,
  itemId: item_uuid,
  loinc,
  measuredAt: measured_at,
  device: device ? toDevice(device) : null,
  value,
  unit,
  source,
});

const toDevice = ({ identifier = null, make = null, model = null, serial = null }: z.output<typeof DeviceRequest>) => ({
  identifier,
  make,
  model,
  serial,
});

export function fromReading(reading: ReadingView): z.input<typeof ReadingShape> {
  const { id: uuid, patientId, item, value, measuredAt, receivedAt, source, device, target, state, enteredInError: mark } = reading;
  return {
    kind: 'reading',
    uuid,
    patient_uuid: patientId,
    item: { uuid: item.id, name: item.name, unit: item.unit },
    value,
    measured_at: measuredAt,
    received_at: receivedAt,
    source,
    device: device && { uuid: device.id, identifier: device.identifier, make: device.make, model: device.model, serial: device.serial },
    checkin_uuid: reading.checkInId,
    recorded_by_user_uuid: reading.recordedByUserId,
    target: target && fromTarget(target),
    state,
    entered_in_error: mark && { at: writeInstant(mark.at), by_user_uuid: mark.byUserId, reason: mark.reason },
  };
}

/** The response to a single reading. @throws Failure where it was refused */
export function fromReceived(received: ReceivedReading | undefined): z.input<typeof ReceivedShape> {
  if (!received) throw new Error('a reading has no result');
  if ('refused' in received) throw received.refused;
  return { ...fromReading(received.reading), duplicate: received.isDuplicate };
}

export function fromBatch(received: readonly ReceivedReading[]): z.input<typeof BatchShape> {
  const results = received.map(fromResult);
  const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
  return { kind: 'batch', stored: count('stored'), duplicates: count('duplicate'), refused: count('refused'), results };
}

function fromResult(received: ReceivedReading): z.input<typeof ResultShape> {
  if ('reading' in received)
    return { outcome: received.isDuplicate ? 'duplicate' : 'stored', reading: fromReading(received.reading), errors: [] };
  const errors = received.refused.issues.map(({ field, code, message }) => ({
    pointer: `/${(NAMES[field] ?? field).replaceAll('.', '/')}`,
    code,
    detail: message,
  }));
  return { outcome: 'refused', reading: null, errors };
}

export const readingParams = z.object({ reading: longId().describe('Reading id') });

export const ErrorMarkRequest = z
  .object({
    reason: multilineText(LONGEST_REASON).min(1).describe('Why the reading is wrong, or why the mark is removed'),
    undone: optional(z.boolean()).describe('true removes the mark; false by default'),
  })
  .meta({ id: 'ReadingErrorMark' });

export const ReadingResponse = one(ReadingShape).meta({ id: 'ReadingResponse' });

/** Whether nothing was stored: all was stored before, or refused. */
export const isNothingNew = ({ data }: z.input<typeof ReceivedResponse>): boolean =>
  data.kind === 'batch' ? data.stored === 0 : data.duplicate;
