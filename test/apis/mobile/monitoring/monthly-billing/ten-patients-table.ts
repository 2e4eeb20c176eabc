/**
 * The month of ten patients, counted by hand from the rules in docs/api-decisions/monitoring-ledger.md and from the story below.
 * Of what is left out: the records that do not count by kind, and the codes that another service would have.
 */
export const TABLE = {
  // Set up in the month before. 25 minutes are one 99457, and 15 short of a 99458. The days of the knee are no physiologic data.
  Adams: { days: 17, minutes: 25, live: true, codes: '99454 99457', missing: '99458', holds: '', left: 'readings 20' },
  // The only contact is a video visit of 12 minutes.
  Brown: { days: 3, minutes: 12, live: true, codes: '99453 99445 99470', missing: '99454 99457', holds: '', left: '' },
  // Twenty days, but reported: no supply, and nothing to manage.
  Clark: { days: 0, minutes: 20, live: true, codes: '', missing: '99453 99445 99457', holds: '', left: 'readings 20' },
  // No consent: nothing of it counts.
  Davis: { days: 0, minutes: 0, live: false, codes: '', missing: '99453 99445 99470', holds: '', left: 'readings 16, reviews 1' },
  // Consent from the 10th up to the 20th, which does not count any more. The 20 minutes of the 5th were before.
  Evans: {
    days: 10,
    minutes: 10,
    live: true,
    codes: '99453 99445 99470',
    missing: '99454 99457',
    holds: '',
    left: 'readings 18, reviews 1',
  },
  // In no program: RPM without set-up, of the cuff alone. 75 minutes at once are held; 15 are left.
  Flores: {
    days: 16,
    minutes: 15,
    live: true,
    codes: '99454 99470',
    missing: '99457',
    holds: 'long_review',
    left: 'readings 5, reviews 1',
  },
  // The nurse works on Green and Hill at the same time: both are held. Green has 20 more minutes.
  Green: {
    days: 2,
    minutes: 20,
    live: true,
    codes: '99453 99445 99457',
    missing: '99454 99458',
    holds: 'overlapping_reviews',
    left: 'reviews 1',
  },
  // In the program since the 3rd: two days were before it. Ten minutes after midnight of a contact that began in the month before:
  // minutes, but no contact.
  Hill: {
    days: 16,
    minutes: 10,
    live: false,
    codes: '99453 99454',
    missing: '99470',
    holds: 'overlapping_reviews',
    left: 'readings 2, reviews 1',
  },
  // Respiratory therapy, where what the patient reports of the inhaler counts, and the cuff does not. 45 minutes are 20, 20 more, and 5.
  Irwin: { days: 16, minutes: 45, live: true, codes: '98975 98976 98980 98981', missing: '98981', holds: '', left: 'readings 3' },
  // In both services, with a device for each: RPM goes first. 120 minutes are 20 and five times 20, of which four are billed.
  Jones: {
    days: 16,
    minutes: 120,
    live: true,
    codes: '99453 99454 99457 99458x4',
    missing: '99458',
    holds: 'too_many_units',
    left: '98975 98976 98980 98981, readings 16',
  },
};
