import { readZip } from '../values/zip-codes.ts';
import { readState } from './states.ts';

/** Rules of the parts of an address in the United States: a description of the fault of a stored value, null where it has none. */
export const ADDRESS_FAULTS = {
  state: (value: string) => (readState(value) === value ? null : 'is no two letters of a state or territory'),
  zip: (value: string) => (readZip(value) === value ? null : 'is no zip of five digits, or nine with a hyphen'),
};
