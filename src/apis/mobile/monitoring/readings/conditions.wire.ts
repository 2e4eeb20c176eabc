import { z } from 'zod';
import { ICD_CODE_MESSAGE, readIcdCode } from '../../../../domain/monitoring/patients/condition-codes.ts';
import type { ItemTarget } from '../../../../domain/monitoring/patients/condition-items.ts';
import type { Condition, ConditionInput, ConditionSort } from '../../../../domain/monitoring/patients/conditions.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { withChecks } from '../../../../http/wire/checked-shapes.ts';
import { id, instant, optional, pagingByPosition } from '../../../../http/wire/wire-types.ts';
import { fromPerson, PersonShape } from '../../people/people.wire.ts';
import { one, sortBy, wrapList } from '../../shared.wire.ts';

export const ConditionShape = z
  .strictObject({
    uuid: z.int(),
    patient_uuid: z.int(),
    patient: PersonShape,
    provider_uuid: z.int().nullable(),
    provider: z.strictObject({ uuid: z.int(), name: z.string() }).nullable(),
    user_uuid: z.int().nullable(),
    user: PersonShape.nullable().describe('User who follows the condition'),
    icd_code: z.string().nullable().describe('ICD-10-CM, such as E11.9'),
    icd_lex_code: z.int().nullable().describe('Number of the condition in the lexicon of the app'),
    items: z
      .array(
        z.strictObject({
          uuid: z.int(),
          name: z.string(),
          unit: z.string().nullable(),
          min_target: z.number().nullable().describe('Inclusive; null if there is no limit'),
          max_target: z.number().nullable(),
          danger_min: z.number().nullable().describe('A value at or below it is a danger value; null if the limit of the item applies'),
          danger_max: z.number().nullable().describe('A value at or above it is a danger value; null if the limit of the item applies'),
        }),
      )
      .describe('Measured items, sorted by id'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'TrackedCondition' });

export const ConditionResponse = one(ConditionShape).meta({ id: 'TrackedConditionResponse' });
export const ConditionList = wrapList(ConditionShape).meta({ id: 'TrackedConditionList' });

const icdCode = z
  .string()
  .max(20)
  .transform((written, context) => {
    const code = readIcdCode(written);
    if (code !== null) return code;
    context.addIssue(ICD_CODE_MESSAGE);
    return z.NEVER;
  })
  .meta({ pattern: '^[A-Za-z][0-9][0-9A-Za-z]([.]?[0-9A-Za-z]{1,4})?$' });

/** Largest value of numeric(12, 3). */
const MAX_TARGET = 999_999_999;
const target = () =>
  z
    .number()
    .min(-MAX_TARGET)
    .max(MAX_TARGET)
    .refine((value) => Number(value.toFixed(3)) === value, 'must have three decimals at most')
    .nullable()
    .optional();

const itemEntry = z.union([
  id(),
  z.object({
    item_uuid: id().describe('Item id'),
    min_target: target().describe('Null for no limit'),
    max_target: target().describe('Null for no limit'),
    danger_min: target().describe('Values at or below it are danger values; null for the limit of the item'),
    danger_max: target().describe('Values at or above it are danger values; null for the limit of the item'),
  }),
]);

const fields = {
  provider_uuid: optional(id()).describe('Provider id'),
  user_uuid: optional(id()).describe('Id of the user who follows the condition'),
  icd_lex_code: optional(z.union([id(), icdCode], { error: `must be a number, or ${ICD_CODE_MESSAGE.slice(8)}` })).describe(
    'Number of the condition in the lexicon of the app; an ICD-10-CM code is accepted and treated as icd_code',
  ),
  icd_code: optional(icdCode).describe(
    'ICD-10-CM code, with or without the dot; one of icd_code and icd_lex_code is required. Changing one field clears the other unless both are sent',
  ),
  items: optional(z.array(itemEntry).max(50)).describe(
    'Measured items: item ids, or items with targets; omitted targets default to those of the item',
  ),
};

/** Of two codes in both fields. */
const ONE_CODE = { same: [['icd_code', 'icd_lex_code']] } as const;

export const NewConditionRequest = withChecks(
  z.object({ patient_uuid: id().describe('Patient id'), ...fields }).meta({ id: 'TrackedConditionCreate' }),
  ONE_CODE,
);
export const ConditionChange = withChecks(
  z.object({ patient_uuid: optional(id()).describe('Id of the patient; optional'), ...fields }).meta({ id: 'TrackedConditionUpdate' }),
  ONE_CODE,
);

const FIELDS = {
  uuid: 'id',
  id: 'id',
  icd_code: 'icdCode',
  title: 'icdCode',
  icd_lex_code: 'icdLexCode',
  lastname: 'lastName',
  firstname: 'firstName',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
} as const satisfies Record<string, ConditionSort['order']>;

export const conditionsQuery = z.object({ ...sortBy(FIELDS), ...pagingByPosition });
export const conditionParams = z.object({ tracked_condition: id().describe('Tracked condition id') });

export const toConditionSort = ({ sort, order }: z.output<typeof conditionsQuery>): ConditionSort => ({
  order: sort,
  descending: order === 'DESC',
});

function toCondition(body: z.output<typeof ConditionChange>): ConditionInput {
  const { icd_code, icd_lex_code, items } = body;
  const named = typeof icd_lex_code === 'string' ? icd_lex_code : undefined;
  return {
    providerId: body.provider_uuid,
    userId: body.user_uuid,
    icdCode: named ?? icd_code,
    icdLexCode: typeof icd_lex_code === 'string' ? undefined : icd_lex_code,
    items: items === null ? [] : items?.map(toItemTarget),
  };
}

export function toNewCondition(body: z.output<typeof NewConditionRequest>): ConditionInput & { patientId: number } {
  return { ...toCondition(body), patientId: body.patient_uuid };
}

export function toConditionChange(body: z.output<typeof ConditionChange>): ConditionInput & { patientId?: number | undefined } {
  return { ...toCondition(body), patientId: body.patient_uuid ?? undefined };
}

const toItemTarget = (entry: z.output<typeof itemEntry>): ItemTarget =>
  typeof entry === 'number'
    ? { itemId: entry }
    : {
        itemId: entry.item_uuid,
        min: entry.min_target,
        max: entry.max_target,
        dangerMin: entry.danger_min,
        dangerMax: entry.danger_max,
      };

export function fromCondition(condition: Condition): z.input<typeof ConditionShape> {
  const { patient, provider, user } = condition;
  return {
    uuid: condition.id,
    patient_uuid: patient.id,
    patient: fromPerson(patient),
    provider_uuid: condition.providerId,
    provider: provider && { uuid: provider.id, name: provider.displayName ?? `${provider.firstName} ${provider.lastName}` },
    user_uuid: condition.userId,
    user: user && fromPerson(user),
    icd_code: condition.icdCode,
    icd_lex_code: condition.icdLexCode,
    items: condition.items.map(({ item, minTarget, maxTarget, dangerMin, dangerMax }) => ({
      uuid: item.id,
      name: item.name,
      unit: item.unit,
      min_target: minTarget?.toNumber() ?? null,
      max_target: maxTarget?.toNumber() ?? null,
      danger_min: dangerMin?.toNumber() ?? null,
      danger_max: dangerMax?.toNumber() ?? null,
    })),
    created_at: writeInstant(condition.createdAt),
    updated_at: writeInstant(condition.updatedAt),
  };
}
