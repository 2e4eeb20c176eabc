/** A reason for which an appointment ends before it took place. */
export interface CancelReason {
  id: number;
  name: string;
  /** The patient did not come: the appointment is missed instead. */
  isNoShow: boolean;
}

/** The ids are those that clients store: they never change. */
export const CANCEL_REASONS: readonly CancelReason[] = [
  { id: 1, name: 'Patient cancelled', isNoShow: false },
  { id: 2, name: 'Practice cancelled', isNoShow: false },
  { id: 3, name: 'Patient did not come', isNoShow: true },
];
