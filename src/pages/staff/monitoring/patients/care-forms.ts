import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Keyring } from '../../../../database/encryption/keyring.ts';
import { Failure } from '../../../../domain/errors.ts';
import { sendCheckIn } from '../../../../domain/messaging/check-ins/check-ins.ts';
import { CONSENT_WAYS, recordMonitoringConsent } from '../../../../domain/monitoring/monthly-billing/consents.ts';
import { ICD_CODE_MESSAGE, readIcdCode } from '../../../../domain/monitoring/patients/condition-codes.ts';
import type { ItemTarget } from '../../../../domain/monitoring/patients/condition-items.ts';
import { endCondition, trackCondition, updateCondition } from '../../../../domain/monitoring/patients/conditions.ts';
import { addToProgram, removeFromProgram } from '../../../../domain/monitoring/programs/enrolments.ts';
import { moveToStep } from '../../../../domain/monitoring/programs/workflow.ts';
import { markEnteredInError } from '../../../../domain/monitoring/readings/entered-in-error.ts';
import { deleteReview } from '../../../../domain/monitoring/reviews/reviews.ts';
import type { Tx } from '../../../../domain/tx.ts';
import { readInput } from '../../../../http/input/input.ts';
import { readOrigin } from '../../../../http/wire/links.ts';
import { id, longId, multilineText } from '../../../../http/wire/wire-types.ts';

export interface PatientForm {
  /** Below the address of the patient. */
  path: string;
  /** Carries the form out, in one transaction. @returns the query and the part of the page that is shown afterwards */
  act: (tx: Tx, request: FastifyRequest, patientId: number) => Promise<string>;
}

const programParams = z.object({ program: id() });
const conditionParams = z.object({ condition: id() });
const reviewParams = z.object({ review: longId() });
const readingParams = z.object({ reading: longId() });
const ProgramForm = z.object({ program: id() });
const StepForm = z.object({ step: id() });
const CheckInForm = z.object({ survey: id(), channel: z.enum(['sms', 'email']) });
const checked = z
  .literal('yes')
  .optional()
  .transform((value) => value === 'yes');
const MarkForm = z.object({ reason: multilineText(1_000).min(1, 'must be given'), undone: checked });
const ConsentForm = z.object({ how: z.enum(CONSENT_WAYS), revoked: checked });
const ConditionForm = z.object({
  code: z.string().transform((written, context) => {
    const code = readIcdCode(written);
    if (code === null) context.addIssue(ICD_CODE_MESSAGE);
    return code;
  }),
});

const readBody = (request: FastifyRequest): unknown => request.body ?? {};

const PROGRAM_FORMS: PatientForm[] = [
  {
    path: 'consent',
    act: async (tx, request, patientId) => {
      await recordMonitoringConsent(tx, patientId, { ...readInput(ConsentForm, readBody(request)), note: null });
      return '#consent';
    },
  },
  {
    path: 'programs',
    act: async (tx, request, patientId) => {
      await addToProgram(tx, { patientId, programId: readInput(ProgramForm, readBody(request)).program });
      return '#programs';
    },
  },
  {
    path: 'programs/:program/step',
    act: async (tx, request, patientId) => {
      const { program: programId } = readInput(programParams, request.params);
      await moveToStep(tx, { patientId, programId, stepId: readInput(StepForm, readBody(request)).step });
      return '#programs';
    },
  },
  {
    path: 'programs/:program/leave',
    act: async (tx, request, patientId) => {
      await removeFromProgram(tx, { patientId, programId: readInput(programParams, request.params).program });
      return '#programs';
    },
  },
];

/** The forms of enrolments, check-ins, conditions, and of what was written by mistake. */
export const careForms = (keyring: Keyring): PatientForm[] => [
  ...PROGRAM_FORMS,
  {
    path: 'check-ins',
    act: async (tx, request, patientId) => {
      const { survey: surveyTypeId, channel } = readInput(CheckInForm, readBody(request));
      await sendCheckIn(tx, { patientId, surveyTypeId, method: { channel } }, { keyring, origin: readOrigin(request) });
      return `?news=${tx.journal.cautions.length === 0 ? 'sent' : 'sent-in-another-language'}#check-ins`;
    },
  },
  {
    path: 'conditions',
    act: async (tx, request, patientId) => {
      await trackCondition(tx, { patientId, icdCode: readInput(ConditionForm, readBody(request)).code });
      return '#conditions';
    },
  },
  {
    path: 'conditions/:condition',
    act: async (tx, request, patientId) => {
      const { condition } = readInput(conditionParams, request.params);
      const items = readTargets(readBody(request));
      await updateCondition(tx, condition, { patientId, items }).catch((error: unknown) => {
        throw besideTargets(error, items);
      });
      return '#conditions';
    },
  },
  {
    path: 'conditions/:condition/end',
    act: async (tx, request) => {
      await endCondition(tx, readInput(conditionParams, request.params).condition);
      return '#conditions';
    },
  },
  {
    path: 'reviews/:review/delete',
    act: async (tx, request) => {
      await deleteReview(tx, readInput(reviewParams, request.params).review);
      return '#check-ins';
    },
  },
  {
    path: 'readings/:reading/entered-in-error',
    act: async (tx, request) => {
      const { reading: readingId } = readInput(readingParams, request.params);
      await markEnteredInError(tx, { readingId, ...readInput(MarkForm, readBody(request)) });
      return '#readings';
    },
  },
];

/** The limits of an item that a condition sets, in the order in which they ascend. */
export const LIMITS = { dangerMin: 'Danger from below', min: 'Target from', max: 'Target to', dangerMax: 'Danger from above' } as const;
export const limitField = (limit: keyof typeof LIMITS | 'item', itemId: number): string => `${limit}-${itemId}`;

const FIELD_NAME = /^item-(\d{1,9})$/;
/** Largest value of numeric(12, 3). */
const LARGEST = 999_999_999;
const limit = z
  .string()
  .trim()
  .transform((written) => (written === '' ? null : Number(written.replace(',', '.'))))
  .pipe(z.number('must be a number').min(-LARGEST).max(LARGEST).nullable())
  .optional();
const TargetsForm = z.record(z.string().max(40), z.string().max(200));
const AddForm = z.object({ add: id().or(z.literal('')).optional() });

/** The same failure, of the limit of each item that it is about. */
function besideTargets(error: unknown, items: readonly ItemTarget[]): unknown {
  if (!(error instanceof Failure)) return error;
  const toFieldName = (field: string) => {
    const item = items[Number(/^items\.(\d+)/.exec(field)?.[1] ?? Number.NaN)];
    if (item === undefined) return field;
    const { min, max, itemId } = item;
    return limitField(typeof min === 'number' && typeof max === 'number' && min > max ? 'min' : 'dangerMin', itemId);
  };
  const issues = error.issues.map((issue) => ({ ...issue, field: toFieldName(issue.field) }));
  return new Failure(error.kind, error.code, error.message, { issues });
}

/** The measured items of a form: those whose box is checked, each with its limits, and a further one. */
function readTargets(body: unknown): ItemTarget[] {
  const fields = readInput(TargetsForm, body);
  const ids = Object.keys(fields).flatMap((name) => FIELD_NAME.exec(name)?.[1] ?? []);
  const items = ids.map(Number).map((itemId) => {
    const toField = (name: keyof typeof LIMITS) => limitField(name, itemId);
    const shape = z.object({
      [toField('min')]: limit,
      [toField('max')]: limit,
      [toField('dangerMin')]: limit,
      [toField('dangerMax')]: limit,
    });
    const limits = readInput(shape, fields);
    const toLimit = (name: keyof typeof LIMITS) => limits[toField(name)];
    return { itemId, min: toLimit('min'), max: toLimit('max'), dangerMin: toLimit('dangerMin'), dangerMax: toLimit('dangerMax') };
  });
  const { add } = readInput(AddForm, body);
  return typeof add === 'number' ? [...items, { itemId: add }] : items;
}
