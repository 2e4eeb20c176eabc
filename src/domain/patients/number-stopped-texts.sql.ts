/**
 * SQL of whether a number has sent STOP last, as the function `number_stopped_texts` of the triggers says, which no statement may call: where
 * rows are on several nodes, it would ask for rows while others are read.
 * @param organization parameter of the practice
 * @param number SQL of a telephone number, as E.164
 */
export const numberStoppedTexts = (organization: string, number: string) => `coalesce((
              SELECT stop.opted_out FROM opt_out stop WHERE stop.organization_id = ${organization} AND stop.number = ${number}
               ORDER BY stop.recorded_at DESC, stop.id DESC LIMIT 1), false)`;
