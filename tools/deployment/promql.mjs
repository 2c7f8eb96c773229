// Parses Prometheus expressions.
import { parser } from '@prometheus-io/lezer-promql';

/** The texts of the nodes in EXPRESSION for which IS_MEANT is true. @throws Error when it is not PromQL */
function textsIn(expression, isMeant) {
  const texts = [];
  parser.parse(expression).iterate({
    enter({ type, from, to, node }) {
      if (type.isError)
        throw new Error(`invalid PromQL at "${expression.slice(from, from + 20)}": ${expression}`);
      if (isMeant(node)) texts.push(expression.slice(from, to));
    },
  });
  return texts;
}

/** Metrics of Prometheus and kube-state-metrics, with their labels. */
export const METRICS_OF_THE_PLATFORM = new Map([
  ['up', []],
  ['kube_job_status_failed', ['job_name']],
  ['kube_cronjob_created', ['cronjob']],
  ['kube_cronjob_status_last_successful_time', ['cronjob']],
]);

/**
 * Names of the metrics in EXPRESSION.
 * @throws Error when it is not PromQL
 */
export const metricsIn = (expression) =>
  textsIn(expression, ({ type, parent }) => type.name === 'Identifier' && parent.name === 'VectorSelector');

/**
 * The selectors in EXPRESSION, each with its metric: `up{job="users-service"}`.
 * @throws Error when it is not PromQL
 */
export const selectorsIn = (expression) => textsIn(expression, ({ type }) => type.name === 'VectorSelector');

/**
 * Names of the labels in EXPRESSION: in selectors and in groupings.
 * @throws Error when it is not PromQL
 */
export const labelsIn = (expression) => textsIn(expression, ({ type }) => type.name === 'LabelName');
