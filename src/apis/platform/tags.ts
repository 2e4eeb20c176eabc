/** A description of each tag's operations. */
export const PLATFORM_TAGS = {
  Users: 'People who sign in: roles, sessions and locks',
  Clients: 'Applications that call the APIs for the practice',
  Requests: 'Requests of API clients in the last seven days, and why they failed',
  'Break-glass': 'Restricted charts opened in an emergency, with a reason',
  Restrictions: 'Restricted and blocked charts, managed by privacy officers',
  Patients: 'Duplicate charts of a person',
  Appointments: 'Visits of leaving providers and at closing offices',
  Policies: 'Sign-in rules of the practice',
  Events: 'Changes in the practice, in order, for programs that follow them',
  Exports: 'All records of a kind in one response, for programs that keep copies',
  Imports: 'Import of records from files of another system',
  Webhooks: 'Addresses that receive changes, and deliveries to them',
  Audit: 'Who read or changed what, and the proof that no entry was altered',
  'Single sign-on': 'The identity provider of the practice (OpenID Connect)',
};
