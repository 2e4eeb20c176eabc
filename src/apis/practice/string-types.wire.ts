import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import type { Example, Examples } from '../../http/endpoints/examples.ts';
import { PatientShape } from './patients/record/patient-record.wire.ts';
import { balanceShape } from './patients/record/patient-sections.wire.ts';

/**
 * The fields whose type the document calls IntegerString or BooleanString, as PRACTICE_TYPES has them written: all as strings,
 * `"12"` and `"true"`, or all as JSON's own numbers and booleans.
 */

type StringRecord = z.input<typeof PatientShape>;
type StringBalance = z.input<typeof balanceShape>;

const { providergroupid, balance, cleanbalance } = balanceShape.shape;

const NativeBalanceShape = balanceShape
  .extend({
    providergroupid: describedAs(z.int(), providergroupid),
    balance: describedAs(z.number(), balance),
    cleanbalance: describedAs(z.boolean(), cleanbalance),
  })
  .meta({ id: 'Balance' });

const { guarantoraddresssameaspatient, portaltermsonfile, portalaccessgiven, privacyinformationverified, balances } = PatientShape.shape;

const NativePatientShape = PatientShape.extend({
  guarantoraddresssameaspatient: describedAs(z.boolean().optional(), guarantoraddresssameaspatient),
  portaltermsonfile: describedAs(z.boolean().optional(), portaltermsonfile),
  portalaccessgiven: describedAs(z.boolean(), portalaccessgiven),
  privacyinformationverified: describedAs(z.boolean(), privacyinformationverified),
  balances: describedAs(z.array(NativeBalanceShape).optional(), balances),
}).meta({ id: 'Patient' });

type PatientWire = StringRecord | z.input<typeof NativePatientShape>;

export interface StringTypes {
  patient: z.ZodType<PatientWire, PatientWire>;
  /** The record, whose fields of these types are strings, in this way. */
  write(record: StringRecord): PatientWire;
  /** The examples of the document, which are recorded with strings, in this way. */
  inExamples(examples: Examples): Examples;
}

export const STRING_TYPES: Readonly<Record<Config['PRACTICE_TYPES'], StringTypes>> = {
  strings: { patient: PatientShape, write: (record) => record, inExamples: (examples) => examples },
  native: { patient: NativePatientShape, write: writeNative, inExamples: writeExamples },
};

const isTrue = (text: string): boolean => text === 'true';

function writeNative(record: StringRecord): z.input<typeof NativePatientShape> {
  const { guarantoraddresssameaspatient: sameAddress, portaltermsonfile: terms } = record;
  return {
    ...record,
    guarantoraddresssameaspatient: sameAddress === undefined ? undefined : isTrue(sameAddress),
    portaltermsonfile: terms === undefined ? undefined : isTrue(terms),
    portalaccessgiven: isTrue(record.portalaccessgiven),
    privacyinformationverified: isTrue(record.privacyinformationverified),
    balances: record.balances?.map(writeNativeBalance),
  };
}

const writeNativeBalance = (written: StringBalance): z.input<typeof NativeBalanceShape> => ({
  ...written,
  providergroupid: Number(written.providergroupid),
  balance: Number(written.balance),
  cleanbalance: isTrue(written.cleanbalance),
});

function writeExamples(examples: Examples): Examples {
  const written = Object.entries(examples).map(([operationId, { response, ...others }]): [string, Example] => [
    operationId,
    response === undefined ? others : { ...others, response: withNativeRecords(response) },
  ]);
  return Object.fromEntries(written);
}

/** A JSON value with each patient record inside it written natively. */
function withNativeRecords(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (_key, value: unknown) => {
    const { data } = PatientShape.safeParse(value);
    return data ? writeNative(data) : value;
  });
}

function describedAs<T extends z.ZodType>(shape: T, { description }: z.ZodType): T {
  return description === undefined ? shape : shape.describe(description);
}
