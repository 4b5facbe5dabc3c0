/* What: cavities and projections of a row's sites.
 * Method: with the tilted moments of likelihood-classes.h           [M 12.8]
 *   tau = loss/(ratio s2),  nu = (shift + mean loss)/(ratio s2),
 *   equal to 1/V - 1/s2 and m_hat/V - mean/s2 without their cancellation. */
#include "fixpoint-classes.h"
#include "fixpoint.h"
#include "host.h"
#include "numeric.h"

void classes_gather(const classes_model *model, int i, const ep_site *sites,
                    double *A, double *m, ep_site *site) {
  for (int c = 0; c < model->C; c++) {
    A[c] = model->post[c]->A[i];
    m[c] = model->post[c]->m[i];
    site[c] = sites[IDX(i, c, model->n)];
  }
}

int classes_divide(const classes_model *model, int i, const double *A,
                   const double *m, const ep_site *site, ep_cavity *cav) {
  for (int c = 0; c < model->C; c++) {
    const int status = fixpoint_cavity(model->post[c], i, A[c], m[c], site[c],
                                       INFINITY, &cav[c]);
    if (status != EP_CONVERGED) return status;
  }
  return EP_CONVERGED;
}

void classes_moments(int C, const ep_cavity *cav, int step, double *mean,
                     double *sd) {
  for (int c = 0; c < C; c++) {
    mean[c] = cav[IDX(0, c, step)].mean;
    sd[c] = sqrt(cav[IDX(0, c, step)].var);
  }
}

int classes_answer(const classes_model *model, int i, classes_row *row) {
  const int C = model->C;
  double mean[ARGMAX_MOST] = {0}, sd[ARGMAX_MOST] = {0};
  classes_moments(C, row->cav, 1, mean, sd);
  const tilted_classes t =
      classes_tilt(C, model->weight + IDX(0, i, C), mean, sd, model->lean);
  row->log_z = t.log_z;
  for (int c = 0; c < C; c++) {
    const double V = t.ratio[c] * row->cav[c].var;
    row->next[c] = (ep_site){.tau = t.loss[c] / V,
                             .nu = (t.shift[c] + mean[c] * t.loss[c]) / V};
    if (!isfinite(row->next[c].tau) || !isfinite(row->next[c].nu))
      return EP_IMPROPER;
  }
  return isfinite(t.log_z) ? EP_CONVERGED : EP_IMPROPER;
}

int classes_project(const classes_model *model, int i, const double *A,
                    const double *m, const ep_site *site, classes_row *row) {
  const int status = classes_divide(model, i, A, m, site, row->cav);
  return status == EP_CONVERGED ? classes_answer(model, i, row) : status;
}

/* [M 3.6] */
double classes_residual(int C, const double *A, const ep_site *site,
                        const ep_site *next) {
  double worst = 0;
  for (int c = 0; c < C; c++)
    worst = fmax(worst, fmax(fabs(next[c].tau - site[c].tau) * A[c],
                             fabs(next[c].nu - site[c].nu) * sqrt(A[c])));
  return worst;
}

double classes_evaluate(const classes_model *model, const ep_site *sites,
                        ep_cavity *cav, double *log_z, double *residual) {
  double A[ARGMAX_MOST], m[ARGMAX_MOST], worst = 0;
  ep_site site[ARGMAX_MOST];
  classes_row row;
  for (int i = 0; i < model->n; i++) {
    core_poll();
    classes_gather(model, i, sites, A, m, site);
    log_z[i] = NAN;
    residual[i] = INFINITY;
    if (classes_project(model, i, A, m, site, &row) == EP_CONVERGED) {
      log_z[i] = row.log_z;
      residual[i] = classes_residual(model->C, A, site, row.next);
      for (int c = 0; c < model->C; c++) cav[IDX(i, c, model->n)] = row.cav[c];
    }
    worst = fmax(worst, residual[i]);
  }
  return worst;
}
