import type { ImportKind } from '../import-kinds.ts';
import { appointments } from './appointments.ts';
import { balances } from './balances.ts';
import { claims } from './claims.ts';
import { contacts } from './contacts.ts';
import { insurances } from './insurances.ts';
import type { Kind } from './kind.ts';
import { patients } from './patients.ts';
import { portalAccounts } from './portal-accounts.ts';
import { readings } from './readings.ts';

export const KINDS: Readonly<Record<ImportKind, Kind>> = {
  patients,
  appointments,
  insurances,
  contacts,
  readings,
  balances,
  claims,
  'portal-accounts': portalAccounts,
};
