/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_train.c - featcross train: rows to a model file.
 *
 * The output is opened before anything is read, so that a missing directory is found before the
 * work starts.  The file gets its name when the model is complete. */

#include "commands.h"
#include "team/team.h"
#include "train_report.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *output_path, *kernel_spec, *features, *cost, *same_cost, *init_path, *eval_path;
static const char *history_path, *metric, *checkpoint_path, *spill_path;
static uint64_t folds;
static bool dry_run, resume, freeze;

static const opt options[] = {
    {"output", 'o', "FILE", OPT_TEXT, &output_path, NULL,
     "write the model to FILE (default: DATA.fx, of the first DATA)", 0, 0},
    {"kernel", 'k', "SPEC|auto", OPT_TEXT, &kernel_spec, NULL,
     "kernel whose combinations of columns the model uses, see below (default: none, the columns "
     "as they are; kernel machines and --map: anova:order=2)", 0, 0},
    {"features", 'D', "N|Nx|auto", OPT_TEXT, &features, NULL,
     "number of random features, or a multiple of the number of columns (default 16x)", 0, 0},
    {"cost", 'C', "X|auto", OPT_TEXT, &cost, NULL,
     "weight of the loss relative to the penalty; auto chooses it on held-out rows (default 1)",
     0, 0},
    {"c", 'c', "X|auto", OPT_TEXT, &same_cost, NULL, "same as -C", 0, 0},
    {"init", 0, "MODEL", OPT_TEXT, &init_path, NULL,
     "start from MODEL (solvers newton and cd, factorization machines), or continue training it "
     "(perceptron)", 0, 0},
    {"freeze", 0, NULL, OPT_FLAG, &freeze, NULL,
     "with --init MODEL, a factorization machine (not poly-net, not --task rank): learn columns "
     "that MODEL does not know, such as user=new, from the rows that hold them, and leave all else "
     "as it is; DATA, or --nodes of --links, is read as the rows of MODEL were", 0, 0},
    {"eval-set", 0, "FILE", OPT_TEXT, &eval_path, NULL,
     "measure the model on the labelled rows of FILE, after every iteration and at the end", 0, 0},
    {"history", 0, "FILE", OPT_TEXT, &history_path, NULL,
     "write a csv line for every iteration to FILE: iteration, output, seconds, objective, gap "
     "and metric (on the eval set)", 0, 0},
    {"metric", 0, "NAME", OPT_TEXT, &metric, NULL,
     "metric for the eval set and --folds, see below (default: accuracy for classes, rmse for "
     "numbers, auc for rankings)", 0, 0},
    {"folds", 0, "N", OPT_COUNT, &folds, "0",
     "cross-validate with N folds (2 or more) before the fit; 0: do not", 0, 1000},
    {"spill", 0, "FILE", OPT_TEXT, &spill_path, NULL,
     "keep the rows packed in FILE, which the passes of the fit read; if FILE is there, its rows "
     "are used and DATA, which must not have changed, is not read again", 0, 0},
    {"checkpoint", 0, "FILE", OPT_TEXT, &checkpoint_path, NULL,
     "keep the progress of the fit in FILE, which is removed when the model is saved; for models "
     "that do not need all rows in memory, see below", 0, 0},
    {"resume", 0, NULL, OPT_FLAG, &resume, NULL,
     "with --checkpoint: continue the fit that FILE holds; the model is the same as without the "
     "interruption", 0, 0},
    {"dry-run", 0, NULL, OPT_FLAG, &dry_run, NULL,
     "print what would be chosen; fit no model and write no file", 0, 0},
    {0},
};
static const opt_group group = {"Options", options};

typedef struct job {
    training t;
    loaded eval;
    kernel_choice k;
    selection c;
    fx_model *init;
    train_scores scores;
} job;

static bool is_auto(const char *text) { return text && !strcmp(text, "auto"); }

/* ---- What the options leave open ---------------------------------------------------------- */
/* If only the data is given, everything is chosen; otherwise only options that are set to auto. */
static void open_questions(selection *c)
{
    bool all = !fit.model && !fit.loss && !kernel_spec && !fit.map && !features && !cost
               && !init_path;

    c->kernel = all || is_auto(kernel_spec);
    c->features = all || is_auto(features);
    c->C = all || is_auto(cost);
    c->scale = (all && !fit.scale) || is_auto(fit.scale)
               || (model_combines(fit.model) && !fit.scale && !init_path);
    c->scale_now = dry_run;
    c->cost = c->C ? NULL : cost;
}

/* True if there is a kernel that a map should approximate. */
static bool mapped(void) { return kernel_spec && (!fitting_given() || fitting_about().map); }

static int check_metric(void)
{
    int status = metric_known(metric);

    if (!status && metric && !eval_path && !folds && !dry_run)
        return say_error("train: --metric %s needs rows to measure on: --eval-set FILE or --folds "
                         "N", metric);
    return status;
}

static int check_options(job *j)
{
    int status = 0;
    size_t D;

    if (cost && same_cost)
        return say_error("-C %s and -c %s: give one of them", cost, same_cost);
    cost = cost ? cost : same_cost;
    if ((status = fitting_name_model()))
        return status;
    if (dry_run && (output_path || history_path || eval_path || folds || spill_path))
        return say_error("train: --dry-run fits no model; leave out %s",
                         output_path    ? "-o"
                         : history_path ? "--history"
                         : eval_path    ? "--eval-set"
                         : folds        ? "--folds"
                                        : "--spill");
    if (cli.json && history_path && output_is_stdout(history_path))
        return say_error("train: --json and --history - both want standard output");
    if (resume && !checkpoint_path)
        return say_error("train: --resume needs --checkpoint FILE, which holds what was done");
    j->t.checkpoint = checkpoint_path;
    j->t.resume = resume;
    if (folds == 1)
        return say_error("train: --folds 1 leaves nothing to train on; use 2 or more");
    if (eval_path && movielens_dir_is(eval_path))
        return say_error(
            "--eval-set %s: --part is that of the training rows; make a file of others with "
            "featcross convert --part valid",
            eval_path);
    if (fitting_unlabelled() && (eval_path || metric || fit.class_weight))
        return say_error("train: %s looks at no labels, so it has no use for %s", fitting_given(),
                         eval_path ? "--eval-set"
                         : metric  ? "--metric"
                                   : "--class-weight");
    if ((status = check_metric()))
        return status;
    if (fit.patience && !eval_path)
        return say_error("--patience %llu needs --eval-set FILE, on which iterations are measured",
                         (unsigned long long)fit.patience);
    if ((status = factor_check(&kernel_spec, cost, features)))
        return status;
    open_questions(&j->c);
    if ((j->c.kernel || j->c.features || j->c.C || folds)
        && (status = fitting_path_exists("train")))
        return status;
    if ((status = exact_check(&kernel_spec, features)))
        return status;
    if (fit.map && !kernel_spec)
        kernel_spec = DEFAULT_KERNEL;
    if (features && !kernel_spec)
        return say_error("-D %s needs --kernel or --map: without them rows are taken as they are",
                         features);
    if (j->c.kernel && fit.map && !is_auto(fit.map))
        return say_error("--kernel auto chooses the map too; leave out --map %s", fit.map);
    if (features && !is_auto(features) && (status = kernel_features(&D, features, 1)))
        return status;
    if (kernel_spec && !j->c.kernel && (status = kernel_prepare(&j->k, kernel_spec)))
        return status;
    return fitting_check(j->c.cost);
}

/* ---- The data and the plan ---------------------------------------------------------------- */
/* Rows to measure on, in the columns of those to train on. */
static int read_eval(job *j)
{
    const training *t = &j->t;
    int status = load_as(&j->eval, eval_path,
                         &(load_options){.base = t->X.table.base, .filled = true,
                                         .reader = t->X.spec, .name = t->X.table.name,
                                         .names = t->X.table.cols});

    if (!status)
        load_say(&j->eval);
    return status;
}

static int read_data(job *j, const char *data)
{
    training *t = &j->t;
    int status;

    if ((init_path && (status = model_file_load(&j->init, NULL, init_path)))
        || (status = training_read(t, data, j->init ? fx_model_inspect(j->init)->base : -1,
                                   !folds || held_out_stream()))
        || team_rank())
        return status;
    t->metric = metric ? metric : t->metric;
    if (t->metric && (status = metric_check("train", t->metric, t)))
        return status;
    t->plan.init = j->init;
    if (!eval_path)
        return 0;
    t->plan.metric = metric;
    if ((status = read_eval(j)))
        return status;
    t->plan.eval = &j->eval.table;
    return t->regress || t->rank || j->init || !j->eval.table.label || t->streamed
               ? 0                      /* of streamed rows the fit tells of unknown classes */
               : label_classes_known(&j->eval, &t->X, NULL);
}

static int resolve_plan(job *j)
{
    selection *c = &j->c;
    fx_plan *plan = &j->t.plan;
    size_t cols = j->t.X.table.cols;
    const char *D = features ? features : "16x";
    int status = 0;

    plan->scale = c->scale ? NULL : fit.scale;
    if (model_combines(fit.model) && j->init && !fit.scale && *fx_model_inspect(j->init)->scale)
        plan->scale = fx_model_inspect(j->init)->scale;
    plan->cache = exact_cache();
    plan->patience = (size_t)fit.patience;
    plan->max_seconds = fit.max_seconds;
    if (mapped() && !c->features
        && (status = kernel_features(&plan->features, D, cols)))
        return status;
    if (kernel_spec && !c->kernel) {
        if ((status = kernel_finish(&j->k, &j->t.X.table))
            || (mapped() && (status = fitting_map(&plan->map, &j->k, cols))))
            return status;
        plan->kernel = kernel_spec;
        plan->family = j->k.family;
    }
    status = selection_plan(c, &j->t);
    return status ? status : exact_announce(&j->t, &j->k, 1 + folds);
}

/* ---- Measuring ---------------------------------------------------------------------------- */
static int fold_scores(job *j, const int32_t *fold, fx_metrics *m)
{
    training *t = &j->t;
    double C = fitting_cost(j->c.model);
    fx_status s;
    int status = held_out_measure(&s, m, t, &C, 1, fold, (size_t)folds);

    if (status || s < 0)
        return status ? status : say_failure(s);
    return metric_mean(&j->scores.mean, &j->scores.sd, "train", m, (size_t)folds, t->metric);
}

static int cross_validate(job *j)
{
    int32_t *fold = NULL;
    fx_metrics *m = malloc(folds * sizeof *m);

    progress_begin("folds", "folds", (double)folds);
    int status = m ? held_out_new(&fold, &j->t, (size_t)folds) : say_no_memory("folds");
    if (!status)
        status = fold_scores(j, fold, m);
    progress_end();
    free(fold);
    free(m);
    j->scores.folds = folds;
    if (!status)
        say_note("%llu folds: %s %.4f, standard deviation %.4f", (unsigned long long)folds,
                 j->t.metric, j->scores.mean, j->scores.sd);
    return status;
}

static int measure(job *j)
{
    if (!eval_path)
        return 0;
    fx_metrics m;
    fx_status s = metric_evaluate(&m, j->t.model, &j->eval.table, j->t.metric);
    if (s)
        return load_failed(&j->eval, s);
    j->scores.evaluated = true;
    j->scores.rows = m.rows;
    j->scores.eval = metric_of(&m, j->t.metric);
    if (isnan(j->scores.eval))          /* the model is saved all the same */
        say_warning("there is no %s for this model and %s", j->t.metric, j->eval.name);
    return 0;
}

/* Goes to stdout, because it is the result of the command; to stderr if the model or the history
 * does. */
static int report(const job *j)
{
    bool taken = output_is_stdout(j->t.path) || (history_path && output_is_stdout(history_path));

    return cli.json ? train_report_json(&j->t, &j->c, &j->scores)
                    : train_report(taken ? stderr : stdout, &j->t, &j->c, &j->scores);
}

/* ---- The command ---------------------------------------------------------------------------- */
/* Rows that exceed the memory go to a file beside the model, even if it is not written. */
static int model_path(job *j, const char *data)
{
    if (!dry_run || strcmp(data, "-") != 0)
        return training_path(&j->t, "train", output_path, data);
    snprintf(j->t.path, sizeof j->t.path, "-");
    return 0;
}

static int choose(job *j, const char *data)
{
    int status;

    if ((status = check_options(j)) || (status = model_path(j, data))
        || (status = read_data(j, data)) || (status = resolve_plan(j)))
        return status;
    return train_report_plan(&j->t, &j->c);
}

/* What processes beside the first do: they read the rows, too, and answer its passes. */
static int assist(job *j, const char *data)
{
    int status;

    if ((status = check_options(j)) || (status = model_path(j, data))
        || (status = read_data(j, data)))
        return status;
    return spill_assist(&j->t.spill);
}

static int train(job *j, const char *data)
{
    output *o = NULL, *history = NULL;
    int status, reported;

    if ((status = check_options(j)) || (status = model_path(j, data))
        || (status = output_open(&o, j->t.path, OUTPUT_BINARY))
        || (history_path && (status = output_open(&history, history_path, OUTPUT_TEXT))))
        return status;
    if (init_path)
        same_file_update(o, init_path);                 /* may replace the model it continues */
    if ((status = read_data(j, data)) || (status = resolve_plan(j))
        || (folds && (status = cross_validate(j))) || (status = training_fit(&j->t))
        || (status = measure(j)) || (status = training_save(&j->t, o))
        || (history && (status = train_report_history(j->t.model, history))))
        return status;
    reported = report(j);
    return reported ? reported : j->t.diverged ? EXIT_NUMERIC : 0;
}

/* --freeze */
static int fold_in(job *j, const char *data)
{
    training *t = &j->t;
    output *o = NULL;
    int status;

    if (!init_path)
        return say_error("train: --freeze needs --init MODEL, of which everything but new columns "
                         "stays as it is");
    if ((status = freeze_check(cmd_train.groups)) || (status = check_metric())
        || (status = training_path(t, "train", output_path, data))
        || (status = output_open(&o, t->path, OUTPUT_BINARY)))
        return status;
    same_file_update(o, init_path);
    if ((status = model_file_load(&j->init, NULL, init_path))
        || (status = freeze_read(t, data, j->init)))
        return status;
    t->metric = metric ? metric : t->metric;
    if ((status = metric_check("train", t->metric, t)) || (eval_path && (status = read_eval(j)))
        || (status = freeze_fit(t, j->init)) || (status = measure(j))
        || (status = training_save(t, o)))
        return status;
    return report(j);
}

static int run(int n, char **operand)
{
    job j = {.t = {.more = (const char *const *)operand + 1, .mores = n > 1 ? (size_t)n - 1 : 0,
                   .kept = spill_path}};
    int status = link_rows_check("train", n);

    if (!status)
        status = (freeze ? fold_in : team_rank() ? assist : dry_run ? choose : train)(
            &j, n ? operand[0] : link_rows_path());
    training_free(&j.t);
    fx_model_free(j.init);
    kernel_free(&j.k);
    load_free(&j.eval);
    return status;
}

const command cmd_train = {
    .name = "train",
    .operands = "DATA.. [-o FILE] [--model SPEC] [--kernel SPEC] [options]",
    .summary = "fit a model and save it",
    .text = "Fits a model to the rows of DATA and saves everything that prediction needs in one "
            "file. DATA is a file, - for standard input, or a MovieLens 100K directory. Several "
            "files of text are one source: the rows of each follow those of the one before, and "
            "each csv file begins with the same header.\n"
            "\n"
            "If none of --model, --loss, --kernel, --map, -D, -C and --init is given, train "
            "chooses all of them and prints its choices. It compares candidates, from the columns "
            "as they are to products of four columns, by their score on a held-out fifth of the "
            "rows, and takes the simplest one within a standard error of the best. (With fewer "
            "than 1,000 rows each fifth is held out in turn; at most 5,000 rows are used.) Unless "
            "--scale is given, it also chooses the scaling: none if all values are within -1 and "
            "1, otherwise maxabs. The work of choosing is limited by a count of operations: with "
            "many classes the slowest candidates are left out, and train reports which.\n"
            "\n"
            "If any of these options is given, only those set to auto are chosen. The others have "
            "their defaults: C=1, columns as they are, no scaling (factorization machines: "
            "--scale auto).\n"
            "\n"
            "Next to the held-out score, train prints the score of a constant answer: the most "
            "common class, or the mean. If the model is not better by more than chance explains, "
            "train warns that nothing was learned; explain and info repeat the warning. (If the "
            "labels have nothing to do with the columns, the warning is missing with a "
            "probability of at most 0.05.)\n"
            "\n"
            "Linear models with --map use random features that approximate a kernel (--model svm "
            "--map rk --kernel K); kernel machines use the kernel itself (--model kernel-svm "
            "--kernel K). The time of a kernel machine grows with the square of the number of "
            "rows (kernel-ridge: with the cube), and so does the memory of kernel-ridge and "
            "kernel-pca. Use kernel machines for up to about 10,000 rows and maps for more. "
            "Before a long exact fit, train prints its expected time and memory. With --kernel "
            "precomputed, DATA is a Gram matrix as featcross gram writes it. pca and kernel-pca "
            "need no labels, and predict prints their components.\n"
            "\n"
            "Factorization machines (fm, hofm, ..) learn a weight for every combination of up to "
            "--order columns, as a sum of --rank products of factors, in time that grows with the "
            "number of stored entries. train prints the norm of the factors of each order; an "
            "order with norm 0 does not contribute. If the steps diverge, train ends with exit "
            "status 3 and saves the last good model.\n"
            "\n"
            "Data larger than --max-memory: rows need not be in memory for logistic, ridge, "
            "perceptron, pca; svm-l2 (of 256 dense features or more and at most 2^28 numbers, only "
            "with --solver newton); penalty l1 with --solver proximal; factorization machines with "
            "--solver lbfgs (not hofm-simplex) or adagrad (not --task rank). If the rows take more "
            "than a third of --max-memory (a fifth for factorization machines, and if missing "
            "numbers are filled in), train packs them into a temporary file next to the model, "
            "which each pass of the fit reads. What is left open is chosen on the same 5,000 rows "
            "as with more memory, and the model is the same, byte for byte. If penalty l1 is "
            "chosen, which needs all rows, train says how to go on. --nan median and --weights "
            "need them, too; --folds needs 44 bytes a row, later 136 for each held out, and all "
            "rows with --nan drop. --spill keeps the file for other fits.\n"
            "\n"
            "--checkpoint FILE stores the answer of each pass. If train is stopped or killed, the "
            "same command with --resume replays FILE and continues, to the same model, byte for "
            "byte. The rows, the options that change the model, the version and the instruction "
            "set must be the same. FILE grows by about 24 bytes per feature and pass (72 in some), "
            "and is removed when the model is saved.\n"
            "\n"
            "mpirun -n R featcross train ..: R processes share the rows of a fit that does not "
            "need them in memory (not perceptron, adagrad). Each reads DATA, which must be files; "
            "the first alone prints and writes. The model is the same. Needs a build with Open "
            "MPI.\n"
            "\n"
            "A fit that did not reach its tolerance is saved, with a warning that says what to do.",
    .examples = "train data.svm\n"
                "train a9a.svm -o m.fx --kernel anova:order=3 -D 16x --model svm -C 1\n"
                "train x.csv --label price --model ridge -C auto --scale std\n"
                "train data.svm --dry-run\n"
                "train x.svm --model kernel-svm --kernel anova:order=2 --cache 1G\n"
                "train x.svm --model pca:k=10 --map rk --kernel poly:degree=2\n"
                "train x.svm --model logistic --eval-set v.svm --history h.csv\n"
                "train x.svm --model hofm --order 3 --rank 10 --beta 1e-3\n"
                "train x.svm --model fm --solver lbfgs --eval-set v.svm --patience 3\n"
                "train a.svm b.svm.gz --model logistic --spill rows.spill\n"
                "train queries.svm --model fm --task rank\n"
                "train new.csv --init m.fx --freeze -o m.fx\n"
                "train --links l.txt --nodes people.svm --model bilinear:split=20",
    .groups = {&group, &fitting_options, &factor_options, &link_rows_options, &reading_options,
               &common_options},
    .min_operands = 0, .max_operands = INT_MAX, .kernels = true, .maps = true, .models = true,
    .metrics = true, .team = true,
    .run = run,
};
