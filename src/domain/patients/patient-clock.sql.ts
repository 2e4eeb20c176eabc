/** The zone of a patient's clock: that of the chart `p`, else of the patient's office `f`, else of the practice `o`. */
export const PATIENT_ZONE = 'coalesce(p.time_zone, f.time_zone, o.time_zone)';
