// Reads expressions of Prometheus.
import { parser } from '@prometheus-io/lezer-promql';

/** What stands in EXPRESSION in nodes of which IS_MEANT. @throws Error when it is no PromQL */
function textsIn(expression, isMeant) {
  const texts = [];
  parser.parse(expression).iterate({
    enter({ type, from, to, node }) {
      if (type.isError) throw new Error(`no PromQL at "${expression.slice(from, from + 20)}": ${expression}`);
      if (isMeant(node)) texts.push(expression.slice(from, to));
    },
  });
  return texts;
}

/** Metrics that no service exports, with their labels: Prometheus's own and those of kube-state-metrics. */
export const METRICS_OF_THE_PLATFORM = new Map([
  ['up', []],
  ['kube_job_status_failed', ['job_name']],
  ['kube_cronjob_status_last_successful_time', ['cronjob']],
]);

/**
 * Names of the metrics in EXPRESSION.
 * @throws Error when it is no PromQL
 */
export const metricsIn = (expression) =>
  textsIn(expression, ({ type, parent }) => type.name === 'Identifier' && parent.name === 'VectorSelector');

/**
 * Names of the labels in EXPRESSION: those that are asked for, and those that are kept.
 * @throws Error when it is no PromQL
 */
export const labelsIn = (expression) => textsIn(expression, ({ type }) => type.name === 'LabelName');
