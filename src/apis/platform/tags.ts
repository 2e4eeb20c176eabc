/** A description of each tag's operations. */
export const PLATFORM_TAGS = {
  Users: 'The people who sign in: their roles, sessions and locks',
  Clients: 'The applications that call the APIs for the practice',
  Requests: 'Requests of API clients in the last seven days, and why they failed',
  'Break-glass': 'Restricted charts opened in an emergency, with a reason',
  Restrictions: 'Charts that are restricted or blocked, which privacy officers decide',
  Patients: 'Duplicate charts of one person',
  Appointments: 'Visits of leaving providers and at closing offices',
  Policies: 'Sign-in rules of the practice',
  Events: 'Changes in the practice, in order, for programs that follow them',
  Exports: 'All records of a kind in one response, for programs that keep copies',
  Imports: 'Records of another system, from files of any number of rows',
  Webhooks: 'Addresses to which changes are delivered, and the deliveries',
  Audit: 'Who read or changed what, and the proof that no entry was altered',
  'Single sign-on': 'The identity provider of the practice (OpenID Connect)',
};
