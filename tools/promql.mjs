// Reads expressions of Prometheus.
import { parser } from '@prometheus-io/lezer-promql';

/**
 * Names of the metrics in EXPRESSION.
 * @throws Error when it is no PromQL
 */
export function metricsIn(expression) {
  const names = [];
  parser.parse(expression).iterate({
    enter({ type, from, to, node }) {
      if (type.isError) throw new Error(`no PromQL at "${expression.slice(from, from + 20)}": ${expression}`);
      if (type.name === 'Identifier' && node.parent.name === 'VectorSelector')
        names.push(expression.slice(from, to));
    },
  });
  return names;
}
