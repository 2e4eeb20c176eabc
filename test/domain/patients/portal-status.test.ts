import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PortalAccountState, type PortalStatus, portalStatus } from '../../../src/domain/patients/record/portal-status.ts';

const ZONE = 'America/New_York';
const at = (text: string) => new Date(text);
const NOTHING = { registeredAt: null, blockedAt: null, termsAcceptedAt: null, lastLoginAt: null };

const ACCOUNTS = {
  none: null,
  offered: NOTHING,
  registered: { ...NOTHING, registeredAt: at('2026-02-01T12:00:00Z') },
  blocked: { ...NOTHING, registeredAt: at('2026-02-01T12:00:00Z'), blockedAt: at('2026-03-01T12:00:00Z') },
  'blocked before it was registered': { ...NOTHING, blockedAt: at('2026-03-01T12:00:00Z') },
} satisfies Record<string, PortalAccountState | null>;

type State = keyof typeof ACCOUNTS;

/** Every own account by every family account, without a restriction: the status and whose it is. */
const TABLE: Record<State, Record<State, `${PortalStatus['status']} of ${PortalStatus['entity']}`>> = {
  none: {
    none: 'NOTREGISTERED of PATIENT',
    offered: 'NOTREGISTERED of PATIENT',
    registered: 'FAMILYLOGIN of FAMILY',
    blocked: 'FAMILYBLOCKEDFAILEDLOGINS of FAMILY',
    'blocked before it was registered': 'FAMILYBLOCKEDFAILEDLOGINS of FAMILY',
  },
  offered: {
    none: 'NOTREGISTERED of PATIENT',
    offered: 'NOTREGISTERED of PATIENT',
    registered: 'FAMILYLOGIN of FAMILY',
    blocked: 'FAMILYBLOCKEDFAILEDLOGINS of FAMILY',
    'blocked before it was registered': 'FAMILYBLOCKEDFAILEDLOGINS of FAMILY',
  },
  registered: {
    none: 'REGISTERED of PATIENT',
    offered: 'REGISTERED of PATIENT',
    registered: 'REGISTERED of PATIENT',
    blocked: 'REGISTERED of PATIENT',
    'blocked before it was registered': 'REGISTERED of PATIENT',
  },
  blocked: {
    none: 'BLOCKEDFAILEDLOGINS of PATIENT',
    offered: 'BLOCKEDFAILEDLOGINS of PATIENT',
    registered: 'BLOCKEDFAILEDLOGINS of PATIENT',
    blocked: 'BLOCKEDFAILEDLOGINS of PATIENT',
    'blocked before it was registered': 'BLOCKEDFAILEDLOGINS of PATIENT',
  },
  'blocked before it was registered': {
    none: 'BLOCKEDFAILEDLOGINS of PATIENT',
    offered: 'BLOCKEDFAILEDLOGINS of PATIENT',
    registered: 'BLOCKEDFAILEDLOGINS of PATIENT',
    blocked: 'BLOCKEDFAILEDLOGINS of PATIENT',
    'blocked before it was registered': 'BLOCKEDFAILEDLOGINS of PATIENT',
  },
};

const states: State[] = ['none', 'offered', 'registered', 'blocked', 'blocked before it was registered'];
const combinations = states.flatMap((own) => states.map((family) => ({ own, family, expected: TABLE[own][family] })));

describe('a portal status', () => {
  it.each(combinations)('is $expected with the own account $own and that of the family $family', ({ own, family, expected }) => {
    const shown = portalStatus({ own: ACCOUNTS[own], family: ACCOUNTS[family], noPortal: false, timeZone: ZONE });
    expect(`${shown.status} of ${shown.entity}`).toBe(expected);
  });

  it.each(combinations)('is NOPORTAL under a restriction, with the own account $own and that of the family $family', ({ own, family }) => {
    const [open, closed] = [false, true].map((noPortal) =>
      portalStatus({ own: ACCOUNTS[own], family: ACCOUNTS[family], noPortal, timeZone: ZONE }),
    );
    expect(closed).toEqual({ ...open, status: 'NOPORTAL', noPortal: true });
  });

  it.each([
    ['only the patient', '2026-03-08T09:00:00Z', null, 'PATIENT'],
    ['only the family', null, '2026-03-08T09:00:00Z', 'FAMILY'],
    ['the patient last', '2026-03-08T09:00:00Z', '2026-03-08T08:59:59Z', 'PATIENT'],
    ['the family last', '2026-03-08T08:59:59Z', '2026-03-08T09:00:00Z', 'FAMILY'],
    ['both at once', '2026-03-08T09:00:00Z', '2026-03-08T09:00:00Z', 'PATIENT'],
    ['nobody', null, null, null],
  ])('names who logged in last: %s', (_, own, family, entity) => {
    const account = (login: string | null) => ({ ...ACCOUNTS.registered, lastLoginAt: login === null ? null : at(login) });
    const shown = portalStatus({ own: account(own), family: account(family), noPortal: false, timeZone: ZONE });
    expect(shown.lastLoginEntity).toBe(entity);
    expect(shown.lastLoginOn?.toISOString().slice(0, 10)).toBe(entity === null ? undefined : '2026-03-08');
  });

  it('has the days of the calendar of the practice', () => {
    const own = { ...NOTHING, registeredAt: at('2026-03-08T03:00:00Z'), lastLoginAt: at('2026-07-01T03:59:00Z') };
    const days = (timeZone: string) => {
      const { registeredOn, lastLoginOn } = portalStatus({ own, family: null, noPortal: false, timeZone });
      return [registeredOn, lastLoginOn].map((day) => day?.toISOString().slice(0, 10));
    };
    expect(days(ZONE)).toEqual(['2026-03-07', '2026-06-30']);
    expect(days('UTC')).toEqual(['2026-03-08', '2026-07-01']);
  });

  it('shows registration and terms of the account that it speaks of', () => {
    const own = { ...NOTHING, termsAcceptedAt: at('2026-01-01T12:00:00Z') };
    const family = ACCOUNTS.registered;
    const shown = portalStatus({ own, family, noPortal: false, timeZone: ZONE });
    expect(shown).toMatchObject({ entity: 'FAMILY', termsAccepted: false, registered: false, familyRegistered: true });
    expect(shown.registeredOn?.toISOString().slice(0, 10)).toBe('2026-02-01');
  });
});

const instant = fc.option(fc.date({ min: at('2000-01-01'), max: at('2100-01-01'), noInvalidDate: true }));
const account = fc.option(fc.record({ registeredAt: instant, blockedAt: instant, termsAcceptedAt: instant, lastLoginAt: instant }));

it('is always one of the six, and says nothing that the booleans beside it deny', () => {
  fc.assert(
    fc.property(account, account, fc.boolean(), fc.constantFrom(ZONE, 'UTC', 'Pacific/Apia'), (own, family, noPortal, timeZone) => {
      const shown = portalStatus({ own, family, noPortal, timeZone });
      const { registered, familyRegistered, blocked, familyBlocked } = shown;
      const holds: Record<PortalStatus['status'], boolean> = {
        NOPORTAL: noPortal,
        REGISTERED: registered && !blocked,
        BLOCKEDFAILEDLOGINS: blocked,
        FAMILYLOGIN: familyRegistered && !familyBlocked && !registered && !blocked,
        FAMILYBLOCKEDFAILEDLOGINS: familyBlocked && !registered && !blocked,
        NOTREGISTERED: !registered && !blocked && !familyRegistered && !familyBlocked,
      };
      expect(holds[shown.status]).toBe(true);
      expect(shown.status === 'NOPORTAL').toBe(noPortal);
      expect(shown.noPortal).toBe(noPortal);
      expect([registered, blocked]).toEqual([Boolean(own?.registeredAt), Boolean(own?.blockedAt)]);
      expect([familyRegistered, familyBlocked]).toEqual([Boolean(family?.registeredAt), Boolean(family?.blockedAt)]);
      expect(shown.lastLoginOn === null).toBe(!own?.lastLoginAt && !family?.lastLoginAt);
    }),
  );
});
