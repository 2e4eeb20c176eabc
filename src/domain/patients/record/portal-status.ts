import { momentAt } from '../../values/time/time.ts';

/** State of one portal account: the patient's own, or a family member's. */
export interface PortalAccountState {
  registeredAt: Date | null;
  blockedAt: Date | null;
  termsAcceptedAt: Date | null;
  lastLoginAt: Date | null;
}

export type PortalEntity = 'PATIENT' | 'FAMILY';

export type PortalStatusName =
  | 'REGISTERED'
  | 'NOTREGISTERED'
  | 'FAMILYLOGIN'
  | 'NOPORTAL'
  | 'BLOCKEDFAILEDLOGINS'
  | 'FAMILYBLOCKEDFAILEDLOGINS';

export interface PortalSituation {
  own: PortalAccountState | null;
  family: PortalAccountState | null;
  /** A privacy restriction forbids the patient a portal account. */
  noPortal: boolean;
  /** Of the practice, whose calendar days are used. */
  timeZone: string;
}

export interface PortalStatus {
  status: PortalStatusName;
  /** Owner of the account that status, registration and terms are taken from. */
  entity: PortalEntity;
  noPortal: boolean;
  registered: boolean;
  familyRegistered: boolean;
  blocked: boolean;
  familyBlocked: boolean;
  termsAccepted: boolean;
  /** The practice's wall clock, as a Date whose UTC fields show it. */
  registeredOn: Date | null;
  lastLoginOn: Date | null;
  lastLoginEntity: PortalEntity | null;
}

/** Whether an account counts: one that is neither registered nor blocked was only offered. */
const isCounted = (account: PortalAccountState | null) => account !== null && (account.registeredAt !== null || account.blockedAt !== null);

/**
 * Portal status of a patient, derived from the accounts and the privacy restriction; it is not stored.
 *
 * A restriction comes first: NOPORTAL. Then the patient's own account: BLOCKEDFAILEDLOGINS when it is blocked, else
 * REGISTERED. Where the patient has none, the family member's: FAMILYBLOCKEDFAILEDLOGINS, else FAMILYLOGIN. Else
 * NOTREGISTERED. The booleans cover both accounts, whichever decides the status.
 */
export function portalStatus({ own, family, noPortal, timeZone }: PortalSituation): PortalStatus {
  const entity = !isCounted(own) && isCounted(family) ? 'FAMILY' : 'PATIENT';
  const shown = entity === 'FAMILY' ? family : own;
  const lastLogin = latestLogin(own, family);
  const day = (instant: Date | null | undefined) => (instant ? momentAt(instant, timeZone).local : null);
  return {
    status: noPortal ? 'NOPORTAL' : toStatus(entity, shown),
    entity,
    noPortal,
    registered: Boolean(own?.registeredAt),
    familyRegistered: Boolean(family?.registeredAt),
    blocked: Boolean(own?.blockedAt),
    familyBlocked: Boolean(family?.blockedAt),
    termsAccepted: Boolean(shown?.termsAcceptedAt),
    registeredOn: day(shown?.registeredAt),
    lastLoginOn: day(lastLogin?.at),
    lastLoginEntity: lastLogin?.entity ?? null,
  };
}

function toStatus(entity: PortalEntity, account: PortalAccountState | null): PortalStatusName {
  if (!isCounted(account)) return 'NOTREGISTERED';
  if (account?.blockedAt) return entity === 'FAMILY' ? 'FAMILYBLOCKEDFAILEDLOGINS' : 'BLOCKEDFAILEDLOGINS';
  return entity === 'FAMILY' ? 'FAMILYLOGIN' : 'REGISTERED';
}

/** The latest login; of two at the same moment, the patient's. */
function latestLogin(own: PortalAccountState | null, family: PortalAccountState | null): { at: Date; entity: PortalEntity } | null {
  const [ownAt, familyAt] = [own?.lastLoginAt ?? null, family?.lastLoginAt ?? null];
  if (familyAt && (!ownAt || familyAt > ownAt)) return { at: familyAt, entity: 'FAMILY' };
  return ownAt ? { at: ownAt, entity: 'PATIENT' } : null;
}
