import type { Kind } from '../kind.ts';
import { clientKind, endpointKind, identityProviderKind, policyKind } from './access.ts';
import { appointmentTypeKind } from './appointment-types.ts';
import { customFieldKind, employerKind, insurancePackageKind } from './charts.ts';
import { hoursExceptionKind } from './hours.ts';
import { numberKind, surveyKind, templateKind } from './messages.ts';
import { itemKind, programKind } from './monitoring.ts';
import { providerKind, userKind } from './people.ts';
import { locationKind, officeKind, providerGroupKind, waitingRoomKind } from './places.ts';
import { practiceKind } from './practice.ts';
import { visitMessageKind } from './visit-messages.ts';

/** The kinds of items in the order in which they are made: each names only those before it, and of its own kind. */
export const KINDS: readonly Kind[] = [
  practiceKind,
  providerGroupKind,
  officeKind,
  locationKind,
  userKind,
  waitingRoomKind,
  appointmentTypeKind,
  providerKind,
  hoursExceptionKind,
  itemKind,
  programKind,
  surveyKind,
  templateKind,
  visitMessageKind,
  employerKind,
  insurancePackageKind,
  customFieldKind,
  numberKind,
  clientKind,
  endpointKind,
  identityProviderKind,
  policyKind,
];
