/* libvmaf's interface as sidecore implements it: options of features (docs/libvmaf.md). */
#ifndef LIBVMAF_FEATURE_H
#define LIBVMAF_FEATURE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a feature: text by name. */
typedef struct VmafFeatureDictionary VmafFeatureDictionary;

/* Sets option `key` to `val`, and replaces an earlier value. A null *dict becomes a new dictionary.
 * Numbers are stored with six significant digits, as in libvmaf. Errors: -EINVAL if an argument is
 * null; -ENOMEM. */
int vmaf_feature_dictionary_set(VmafFeatureDictionary** dict, const char* key, const char* val);

/* Frees a dictionary and sets *dict to null; *dict may be null. Errors: -EINVAL if dict is null. */
int vmaf_feature_dictionary_free(VmafFeatureDictionary** dict);

#ifdef __cplusplus
}
#endif

#endif
