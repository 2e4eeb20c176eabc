import { z } from 'zod';
import {
  CUSTOM_FIELD_TYPES,
  changeCustomField,
  createCustomField,
  listCustomFields,
  readFieldOptions,
  removeCustomField,
} from '../../domain/patients/record/custom-fields.ts';
import { createEmployer, listEmployers, removeEmployer, updateEmployer } from '../../domain/patients/record/employers.ts';
import { changePackage, createPackage, listOwnPackages, removePackage } from '../../domain/patients/record/insurance-packages.ts';
import { active, address, clearable, field, text, whole } from '../fields.ts';
import { kind } from '../kind.ts';
import { toStored } from '../stored.ts';

const { city, state, zip, phone } = address;
const EMPLOYER = z.strictObject({
  name: field(text(200), 'Name of the employer'),
  phone,
  address: clearable(text(200), 'Street'),
  city,
  state,
  zip,
});

export const employerKind = kind({
  name: 'employers',
  one: 'employer',
  names: ['name'],
  table: 'employer',
  shape: EMPLOYER,
  whole: EMPLOYER.required({ name: true }),
  read: async ({ tx }) => (await listEmployers(tx, { after: 0, limit: 1_000_000 })).map((row) => toStored(EMPLOYER, row)),
  create: ({ tx }, item) => createEmployer(tx, item),
  change: ({ tx }, id, changes) => updateEmployer(tx, id, changes),
  remove: ({ tx }, id) => removeEmployer(tx, id),
});

const PACKAGE = z.strictObject({
  number: field(whole(1, 2_147_483_647), 'Number of the package, which programs send as insurancepackageid'),
  planName: field(text(200), 'Name of the plan'),
  type: clearable(text(100), 'Type, such as Commercial or Group Policy'),
  ircName: clearable(text(200), 'The payer'),
});

export const insurancePackageKind = kind({
  name: 'insurancePackages',
  one: 'insurance package',
  names: ['planName'],
  fixed: { fields: ['number'], instead: 'Add a package with the new number and remove this one.' },
  table: 'insurance_package',
  shape: PACKAGE,
  whole: PACKAGE.required({ number: true, planName: true }),
  read: async ({ tx }) => (await listOwnPackages(tx)).map((row) => toStored(PACKAGE, row, { number: row.id })),
  create: ({ tx }, { number, ...fields }) => createPackage(tx, number, fields),
  change: ({ tx }, id, { number: _fixed, ...changes }) => changePackage(tx, id, changes),
  remove: ({ tx }, id) => removePackage(tx, id),
});

const CUSTOM_FIELD = z.strictObject({
  name: field(text(100), 'Name of the field'),
  type: field(z.enum(CUSTOM_FIELD_TYPES), 'Kind of the values'),
  options: field(z.array(text(200)), 'Options of a field of type select'),
  active: active('false: no longer used in charts'),
});

export const customFieldKind = kind({
  name: 'customFields',
  one: 'custom field',
  names: ['name'],
  fixed: { fields: ['type'], instead: 'Set the field to active: false, and add another one.' },
  table: 'custom_field',
  shape: CUSTOM_FIELD,
  whole: CUSTOM_FIELD.required({ name: true, type: true }),
  read: async ({ tx }) =>
    (await listCustomFields(tx)).map((row) => toStored(CUSTOM_FIELD, row, { options: readFieldOptions(row).map(({ value }) => value) })),
  async create({ tx }, { options = [], active: isActive = true, ...input }) {
    const made = await createCustomField(tx, { ...input, options });
    if (!isActive) await changeCustomField(tx, made.id, { active: false });
    return made;
  },
  change: ({ tx }, id, { type: _fixed, ...changes }) => changeCustomField(tx, id, changes),
  remove: ({ tx }, id) => removeCustomField(tx, id),
});
