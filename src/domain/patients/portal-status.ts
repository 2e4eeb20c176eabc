import { momentAt } from '../values/time.ts';

/** What the portal knows of one account: the patient's own, or that of a family member. */
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
  /** A privacy restriction keeps the patient out of the portal. */
  noPortal: boolean;
  /** Of the practice: days are its calendar's. */
  timeZone: string;
}

export interface PortalStatus {
  status: PortalStatusName;
  /** Whose account the status speaks of; also the one whose registration and terms are shown. */
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

/** An account that is neither registered nor blocked was only offered, and counts as none. */
const stands = (account: PortalAccountState | null) => account !== null && (account.registeredAt !== null || account.blockedAt !== null);

/**
 * What the portal shows of a patient, from the accounts and the privacy restriction alone; nothing of it is stored.
 *
 * A restriction comes first: NOPORTAL. Then the patient's own account: BLOCKEDFAILEDLOGINS when it is blocked, else
 * REGISTERED. Where the patient has none, the family member's: FAMILYBLOCKEDFAILEDLOGINS, else FAMILYLOGIN. Else
 * NOTREGISTERED. The booleans beside it tell of both accounts, whichever the status speaks of.
 */
export function portalStatus({ own, family, noPortal, timeZone }: PortalSituation): PortalStatus {
  const entity = !stands(own) && stands(family) ? 'FAMILY' : 'PATIENT';
  const shown = entity === 'FAMILY' ? family : own;
  const lastLogin = latestLogin(own, family);
  const day = (instant: Date | null | undefined) => (instant ? momentAt(instant, timeZone).local : null);
  return {
    status: noPortal ? 'NOPORTAL' : statusOf(entity, shown),
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

function statusOf(entity: PortalEntity, account: PortalAccountState | null): PortalStatusName {
  if (!stands(account)) return 'NOTREGISTERED';
  if (account?.blockedAt) return entity === 'FAMILY' ? 'FAMILYBLOCKEDFAILEDLOGINS' : 'BLOCKEDFAILEDLOGINS';
  return entity === 'FAMILY' ? 'FAMILYLOGIN' : 'REGISTERED';
}

/** Of two at the same moment, the patient's. */
function latestLogin(own: PortalAccountState | null, family: PortalAccountState | null): { at: Date; entity: PortalEntity } | null {
  const [ownAt, familyAt] = [own?.lastLoginAt ?? null, family?.lastLoginAt ?? null];
  if (familyAt && (!ownAt || familyAt > ownAt)) return { at: familyAt, entity: 'FAMILY' };
  return ownAt ? { at: ownAt, entity: 'PATIENT' } : null;
}
